/** POST …/reports/{id}/review. */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { requesterOf, type UserRequest } from "../terms/requester.ts";
import { periodOfReportId } from "./period.ts";
import { firstReviewOf, NOTE_MAX_CHARACTERS, type ReviewedReport } from "./report-review.ts";
import type { ReportReviewStore } from "./report-review-store.ts";
import type { ReportStore } from "./report-store.ts";

type ReviewingRequest = UserRequest & { identity: RequestIdentity };

type Dependencies = {
  reports: Pick<ReportStore, "has">;
  reviews: Pick<ReportReviewStore, "add">;
  recorder: Pick<Recorder, "record">;
  now: Clock;
};

/**
 * Notes that the caller has reviewed a report. A request that is repeated with its key makes one review.
 * It throws DomainError `report_not_found`, `too_many_reviews`.
 */
export const createAddReview =
  ({ reports, reviews, recorder, now }: Dependencies) =>
  async (
    id: string,
    note: string | undefined,
    { caller, origin, identity }: ReviewingRequest,
  ): Promise<ReviewedReport> => {
    const { organizationId, userId } = caller;
    const period = periodOfReportId(id);
    if (period === undefined || !(await reports.has(organizationId, period, now())))
      throw new DomainError("report_not_found", "There is no such report.");
    const { at } = identity;
    const review = { by: userId, at, ...definedFields({ note: note && sanitiseText(note, NOTE_MAX_CHARACTERS) }) };
    const all = await reviews.add(organizationId, period, { ...review, id: identity.id });
    await recorder.record(
      {
        eventType: "REPORT_REVIEWED",
        category: "compliance",
        riskLevel: "LOW",
        source: "user",
        organizationId,
        ...requesterOf({ caller, origin }),
        resource: id,
        resourceType: "report",
        action: "review_report",
        success: true,
        metadata: { requestId: origin.requestId },
      },
      { timestamp: at, identity: identityOf("report review", organizationId, identity.id) },
    );
    return { id, reviewedAt: at, ...firstReviewOf(all), reviews: all };
  };
