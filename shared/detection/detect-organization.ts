/** Judges the hours that a dispatch found of an organization, or of the events of none, in their order. */

import type { DetectionDue } from "./detection-due.ts";
import { detectionScope } from "./detection-keys.ts";
import type { JudgeScope } from "./judge-scope.ts";
import type { UnjudgedStore } from "./unjudged-store.ts";

/** An hour is begun only while this much of the function's time is left; what is left over the next dispatch brings. */
const MARGIN_MS = 15_000;

export type DetectOrganizationParts = { judge: JudgeScope; unjudged: Pick<UnjudgedStore, "clear"> };

/** @throws whatever keeps an hour from being judged, so that the delivery comes again; no later hour is judged before. */
export const createDetectOrganization =
  ({ judge, unjudged }: DetectOrganizationParts) =>
  async ({ organizationId, hours, marked }: DetectionDue, remainingMs: () => number) => {
    const scope = detectionScope(organizationId);
    const summary = { judged: 0, judgedBefore: 0, eventsRead: 0, findings: 0, left: 0 };
    const inOrder = [...new Set(hours)].sort((a, b) => a - b);
    for (const [index, hour] of inOrder.entries()) {
      if (index > 0 && remainingMs() < MARGIN_MS) {
        summary.left = inOrder.length - index;
        break;
      }
      const { window, isNew } = await judge(scope, hour);
      if (marked.includes(hour)) await unjudged.clear({ scope, hour });
      summary[isNew ? "judged" : "judgedBefore"]++;
      if (!isNew) continue;
      summary.eventsRead += window.eventsRead;
      summary.findings += window.findings.length;
    }
    return summary;
  };
