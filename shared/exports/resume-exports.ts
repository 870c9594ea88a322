/** Every hour: requests a worker for each export without one, and for each whose files must be deleted. */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { isStalled, type Resumed, resumeJobs } from "../work/hand-over.ts";
import { exportRequested } from "./export-events.ts";
import { expiresAtOf } from "./export-item.ts";
import type { ExportStore } from "./export-store.ts";

export type ResumeExportsDependencies = {
  exports: Pick<ExportStore, "listOpen" | "find">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
};

/** Idempotent. Half a read unit for each of 8 shards, and one for each export with work or files. */
export const resumeExports = (
  { exports, bus, clock }: ResumeExportsDependencies,
  remainingMs: () => number,
): Promise<Resumed> => {
  const find = async ({ organizationId, id }: { organizationId: string; id: string }) => {
    const stored = await exports.find(organizationId, id);
    if (stored === undefined) return undefined;
    const now = clock();
    const expiresAt = expiresAtOf(stored);
    if (expiresAt !== undefined && expiresAt > now) return undefined;
    return { request: isStalled(stored, now) ? exportRequested({ organizationId, exportId: id }) : undefined };
  };
  return resumeJobs({ jobs: exports.listOpen(), find, bus }, remainingMs);
};
