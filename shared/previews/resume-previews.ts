/** Every hour: requests a worker for each preview without one. */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { isStalled, type Resumed, resumeJobs } from "../work/hand-over.ts";
import { previewRequested } from "./preview-events.ts";
import type { PreviewStore } from "./preview-store.ts";

export type ResumePreviewsDependencies = {
  previews: Pick<PreviewStore, "listOpen" | "find">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
};

/** Idempotent. Half a read unit, and one for each preview that has not ended. */
export const resumePreviews = (
  { previews, bus, clock }: ResumePreviewsDependencies,
  remainingMs: () => number,
): Promise<Resumed> => {
  const find = async ({ organizationId, id }: { organizationId: string; id: string }) => {
    const stored = await previews.find(organizationId, id);
    if (stored === undefined) return undefined;
    return { request: isStalled(stored, clock()) ? previewRequested({ organizationId, previewId: id }) : undefined };
  };
  return resumeJobs({ jobs: previews.listOpen(), find, bus }, remainingMs);
};
