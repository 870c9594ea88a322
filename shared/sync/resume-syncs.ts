/** Every hour: asks for a worker for each run that has none: its worker died, or the request for one was lost. */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { isForsaken } from "./start-run.ts";
import type { SyncActiveStore } from "./sync-active-store.ts";
import { syncRequested } from "./sync-request.ts";
import type { SyncRunStore } from "./sync-run-store.ts";

/** Of the function's time; what is left over the next hour sees. */
const STOP_MS = 10_000;

export type ResumeParts = {
  active: Pick<SyncActiveStore, "listActive">;
  runs: Pick<SyncRunStore, "readState">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
};

/** Half a read unit for each of 16 shards, and one for each run that is under way. Repeated, it does no harm. */
export const resumeSyncs = async ({ active, runs, bus, clock }: ResumeParts, remainingMs: () => number) => {
  const summary = { underWay: 0, resumed: 0, failed: 0 };
  for await (const organizationId of active.listActive()) {
    if (remainingMs() < STOP_MS) break;
    summary.underWay++;
    const state = await runs.readState(organizationId);
    if (state.run === undefined || !isForsaken(state, clock())) continue;
    const unpublished = await bus.publish([syncRequested({ organizationId, runId: state.run.id })]);
    summary[unpublished.length === 0 ? "resumed" : "failed"]++;
  }
  return summary;
};
