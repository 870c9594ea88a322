import { useEffect } from "preact/hooks";
import { useMay } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { useLiveList } from "../../api/live-list.ts";
import { useConnection } from "../../api/reads.ts";
import type { Connection, SyncRun } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { AskingButton } from "../../parts/dialog.tsx";
import { Choice } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { Empty, LiveItems, WhyMissing } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/values.tsx";
import { useFilters } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { everyHours } from "../../words/format.ts";
import { expectedOf } from "./completeness.ts";
import { RunRow } from "./run-row.tsx";
import { isStatus, statuses } from "./run-words.ts";
import { StartSync } from "./start-sync.tsx";

const RUNS_REFRESH_MS = 15_000;
/** While a run is under way. */
const PROGRESS_MS = 2_000;
const PAGE = 50;
/** While older runs are looked for; the API answers at most this many at once. */
const LARGE_PAGE = 1_000;

/**
 * The organization's runs, the latest first.
 * @param wanted the id of a run; older pages are read until it is found
 * @param isFiltered whether the view shows only some of the runs
 */
const useRuns = (wanted: string | undefined, isFiltered: boolean) => {
  const runs = useLiveList<SyncRun>(
    "sync runs",
    (after, signal) => {
      const limit = after.cursor !== undefined && (wanted !== undefined || isFiltered) ? LARGE_PAGE : PAGE;
      return page(api.GET("/api/integrations/provider/sync", { params: { query: { limit, ...after } }, signal }));
    },
    { everyMs: RUNS_REFRESH_MS, isOpen: ({ status }) => status === "running", openMs: PROGRESS_MS },
  );
  const { value, older } = runs;
  const isMissing = wanted !== undefined && value !== undefined && !value.some(({ id }) => id === wanted);
  const searches = isMissing && older.hasMore && older.problem === undefined;
  useEffect(() => {
    if (searches && !older.isLoading) older.more();
  }, [searches, older.isLoading]);
  return { runs, isMissing: isMissing && !older.hasMore };
};

const PATH = "/console/syncs";
const REFRESH_MS = 30_000;

const outcomes: readonly (readonly [string, string])[] = [
  ["", "All runs"],
  ...Object.entries(statuses).map(([status, { name }]) => [status, name] as const),
];

const Next = ({ connection }: { connection: Connection }) => {
  const { status, nextSyncAt, syncIntervalHours, provider } = connection;
  const now = useNow();
  if (status !== "connected")
    return (
      <p class="problem" role="status">
        {status === "disconnected" ? "No account is connected" : `${provider.name} does not accept the credentials`}, so
        nothing is synced. <a href="/console/connection">Open Connection</a>
      </p>
    );
  return (
    <p>
      A sync starts {everyHours(syncIntervalHours)}.{" "}
      {nextSyncAt === undefined ? (
        "The time of the next one is not known yet."
      ) : nextSyncAt > now ? (
        <>
          The next one starts <RelativeTime at={nextSyncAt} isDue />.
        </>
      ) : (
        "The next one is due now."
      )}
    </p>
  );
};

export const View = () => {
  const { filters, set } = useFilters();
  const wanted = filters.run;
  const mayRun = useMay("sync:run");
  const status = isStatus(filters.status) ? filters.status : undefined;
  const { runs, isMissing } = useRuns(wanted, status !== undefined);
  const shown = runs.value?.filter((run) => status === undefined || run.status === status);
  const connection = useConnection(REFRESH_MS);
  const choose = (run: string | undefined): void => set({ run }, { replace: true });
  return (
    <Page
      title="Syncs"
      lead="Each run brings the records here up to date with the provider."
      actions={
        <>
          <Button onClick={runs.reload}>Refresh</Button>
          {mayRun && (
            <AskingButton kind="main" name="Start a sync">
              {(close) => (
                <StartSync
                  onClose={close}
                  onStarted={(run) => {
                    close();
                    runs.put(run);
                    choose(run.id);
                    runs.reload();
                  }}
                />
              )}
            </AskingButton>
          )}
        </>
      }
    >
      <WhyMissing needs="sync:run" />
      {connection.value !== undefined && <Next connection={connection.value} />}
      {isMissing && (
        <p class="problem" role="status">
          The run <code>{wanted}</code> is not stored. Runs are kept for a limited time, and an erasure removes them.
        </p>
      )}
      <div class="filters">
        <Choice
          label="Outcome"
          value={status ?? ""}
          options={outcomes}
          onChoose={(chosen) => set({ status: chosen || undefined })}
        />
      </div>
      <SavedViews path={PATH} without={["run"]} />
      <LiveItems
        of={{ ...runs, value: shown }}
        what="runs"
        whole="syncs"
        empty={
          status === undefined ? (
            <Empty title="Nothing has been synced yet">
              <p>The first sync starts as soon as an account is connected. Its progress appears here.</p>
            </Empty>
          ) : (
            <Empty title={`No run is “${statuses[status].name.toLowerCase()}”`} />
          )
        }
      >
        {(items) => (
          <ul class="syncs-list" aria-label="Runs">
            {items.map((run) => (
              <RunRow
                key={run.id}
                run={run}
                expected={run.status === "running" ? expectedOf(run, runs.value ?? []) : undefined}
                isOpen={run.id === wanted}
                onToggle={() => choose(run.id === wanted ? undefined : run.id)}
              />
            ))}
          </ul>
        )}
      </LiveItems>
    </Page>
  );
};
