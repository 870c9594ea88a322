/** Every hour: requests a worker for each erasure without one, and raises an alarm for each erasure that takes too long. */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import { DAY_MS } from "../terms/hours.ts";
import { dueAtOf } from "./erasure.ts";
import { erasureRequested } from "./erasure-events.ts";
import type { ErasureStore } from "./erasure-store.ts";

/** With less of the function's time left, the rest waits for the next hour. */
const STOP_MS = 10_000;

/** A worker normally takes a request within seconds. After this time the request counts as lost. */
const WAIT_MS = 60_000;

/** Decisions: an alarm at 20 days leaves 10 days to find the cause. */
const ALARM_AFTER_MS = 20 * DAY_MS;

export type ResumeErasuresDependencies = {
  erasures: Pick<ErasureStore, "listOpen" | "find">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
};

/** Idempotent. Half a read unit for each of 8 shards, and one for each open erasure. */
export const resumeErasures = async (
  { erasures, bus, clock }: ResumeErasuresDependencies,
  remainingMs: () => number,
) => {
  const summary = { open: 0, resumed: 0, failed: 0, overdue: 0 };
  for await (const { organizationId, erasureId } of erasures.listOpen()) {
    if (remainingMs() < STOP_MS) break;
    const erasure = await erasures.find(organizationId, erasureId);
    if (erasure === undefined || erasure.status === "completed") continue;
    const { requestedAt, leaseUntil } = erasure;
    const now = clock();
    summary.open++;
    if (requestedAt + ALARM_AFTER_MS <= now) {
      summary.overdue++;
      const daysLeft = Math.floor((dueAtOf(requestedAt) - now) / DAY_MS);
      writeLog("error", "An erasure is not completed", { alarm: "erasure_overdue", erasureId, daysLeft });
    }
    if ((leaseUntil ?? requestedAt + WAIT_MS) > now) continue;
    const unpublished = await bus.publish([erasureRequested({ organizationId, erasureId })]);
    summary[unpublished.length === 0 ? "resumed" : "failed"]++;
  }
  return summary;
};
