import { useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { useFilters } from "../../address.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Connection } from "../../api/types.ts";
import { useNow } from "../../clock.ts";
import { formatNumber } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { expectedOf } from "./completeness.ts";
import { RunRow } from "./run-row.tsx";
import { StartSync } from "./start-sync.tsx";
import { useRuns } from "./use-runs.ts";

const REFRESH_MS = 30_000;

const Next = ({ connection }: { connection: Connection }) => {
  const { status, nextSyncAt, syncIntervalHours, provider } = connection;
  const now = useNow();
  if (status !== "connected")
    return (
      <p class="syncs-next bad" role="status">
        {status === "disconnected" ? "No account is connected" : `${provider.name} does not accept the credentials`}, so
        nothing is synced. <a href="/console/connection">Open Connection</a>
      </p>
    );
  return (
    <p class="syncs-next">
      A sync starts every {formatNumber(syncIntervalHours)} hours.{" "}
      {nextSyncAt === undefined ? (
        "The time of the next one is not known yet."
      ) : nextSyncAt > now ? (
        <>
          The next one starts <RelativeTime at={nextSyncAt} />.
        </>
      ) : (
        "The next one is due now."
      )}
    </p>
  );
};

export const Syncs = () => {
  const { filters, set } = useFilters();
  const wanted = filters.run;
  const mayRun = useMay("sync:run");
  const [asks, setAsks] = useState(false);
  const { runs, isMissing } = useRuns(wanted);
  const connection = useResource(
    "connection",
    (signal) => answer(api.GET("/api/integrations/provider/connection", { signal })),
    { everyMs: REFRESH_MS },
  );
  const choose = (run: string | undefined): void => set({ run }, { replace: true });
  return (
    <Page
      title="Syncs"
      lead="Each run brings the records here up to date with the provider."
      actions={
        <>
          <Button onClick={runs.reload}>Refresh</Button>
          {mayRun && (
            <Button kind="main" onClick={() => setAsks(true)}>
              Start a sync
            </Button>
          )}
        </>
      }
    >
      {connection.value !== undefined && <Next connection={connection.value} />}
      {isMissing && (
        <p class="problem" role="status">
          The run <code>{wanted}</code> is not stored. Runs are kept for a limited time, and an erasure removes them.
        </p>
      )}
      <Loaded
        of={runs}
        what="syncs"
        isEmpty={(items) => items.length === 0}
        empty={
          <Empty title="Nothing has been synced yet">
            <p>The first sync starts as soon as an account is connected. Its progress appears here.</p>
          </Empty>
        }
      >
        {(items) => (
          <>
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
            <LoadMore list={runs.older} what="runs" />
          </>
        )}
      </Loaded>
      {asks && (
        <StartSync
          onClose={() => setAsks(false)}
          onStarted={(run) => {
            setAsks(false);
            runs.put(run);
            choose(run.id);
            runs.reload();
          }}
        />
      )}
    </Page>
  );
};
