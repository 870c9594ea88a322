import { useEffect } from "preact/hooks";
import { useMay } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { useLiveList } from "../../api/live-list.ts";
import { useConnection } from "../../api/reads.ts";
import type { Connection, SyncRun } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { AskingButton } from "../../parts/dialog.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, LiveItems, WhyMissing } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/values.tsx";
import { useFilters } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { everyHours } from "../../words/format.ts";
import { expectedOf } from "./completeness.ts";
import { RunRow } from "./run-row.tsx";
import { StartSync } from "./start-sync.tsx";

const RUNS_REFRESH_MS = 15_000;
/** While a run is under way. */
const PROGRESS_MS = 2_000;
const PAGE = 50;
/** While an older run is looked for; the API answers at most this many at once. */
const LARGE_PAGE = 1_000;

/** The organization's runs, the latest first. @param wanted the id of a run; older pages are read until it is found. */
const useRuns = (wanted: string | undefined) => {
  const runs = useLiveList<SyncRun>(
    "sync runs",
    (after, signal) => {
      const limit = after.cursor !== undefined && wanted !== undefined ? LARGE_PAGE : PAGE;
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

const REFRESH_MS = 30_000;

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
  const { runs, isMissing } = useRuns(wanted);
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
      <LiveItems
        of={runs}
        what="runs"
        whole="syncs"
        empty={
          <Empty title="Nothing has been synced yet">
            <p>The first sync starts as soon as an account is connected. Its progress appears here.</p>
          </Empty>
        }
      >
        {(items) => (
          <ul class="syncs-list" aria-label="Runs">
            {items.map((run) => (
              <RunRow
                key={run.id}
                run={run}
                expected={run.status === "running" ? expectedOf(run, items) : undefined}
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
