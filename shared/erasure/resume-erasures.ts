/** Every hour: requests a worker for each erasure without one, and raises an alarm for each erasure that takes too long. */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import { DAY_MS } from "../terms/hours.ts";
import { isStalled, resumeJobs } from "../work/hand-over.ts";
import { dueAtOf } from "./erasure.ts";
import { erasureRequested } from "./erasure-events.ts";
import type { ErasureStore } from "./erasure-store.ts";

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
  let overdue = 0;
  const find = async ({ organizationId, id: erasureId }: { organizationId: string; id: string }) => {
    const erasure = await erasures.find(organizationId, erasureId);
    if (erasure === undefined || erasure.status === "completed") return undefined;
    const { requestedAt } = erasure;
    const now = clock();
    if (requestedAt + ALARM_AFTER_MS <= now) {
      overdue++;
      const daysLeft = Math.floor((dueAtOf(requestedAt) - now) / DAY_MS);
      writeLog("error", "An erasure is not completed", { alarm: "erasure_overdue", erasureId, daysLeft });
    }
    return { request: isStalled(erasure, now) ? erasureRequested({ organizationId, erasureId }) : undefined };
  };
  const { underWay, ...resumed } = await resumeJobs({ jobs: erasures.listOpen(), find, bus }, remainingMs);
  return { open: underWay, ...resumed, overdue };
};
