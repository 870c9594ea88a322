/** Every hour: asks for a worker for each erasure that has none, and calls the operators where one takes too long. */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import { DAY_MS } from "../terms/hours.ts";
import { dueAtOf } from "./erasure.ts";
import { erasureRequested } from "./erasure-requested.ts";
import type { ErasureStore } from "./erasure-store.ts";

/** Of the function's time; what is left over the next hour sees. */
const STOP_MS = 10_000;

/** A request for work is taken up in seconds; what waits for longer was lost. */
const WAIT_MS = 60_000;

/** Decisions: an alarm at 20 days, which leaves 10 to find out why. */
const ALARM_AFTER_MS = 20 * DAY_MS;

export type ResumeErasuresParts = {
  erasures: Pick<ErasureStore, "listOpen" | "find">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
};

/** Half a read unit for each of 8 shards, and one for each erasure that is open. Repeated, it does no harm. */
export const resumeErasures = async ({ erasures, bus, clock }: ResumeErasuresParts, remainingMs: () => number) => {
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
