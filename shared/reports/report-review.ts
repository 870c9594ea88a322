/**
 * Who has read a report, and says so: assessors ask for it (PCI DSS 10.4.1.1). The first review stands, later ones join it.
 * Decisions: docs/reports.md, "Reviews".
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { epochMs } from "../json/number-fields.ts";
import { strictObject } from "../json/strict-object.ts";

export const NOTE_MAX_CHARACTERS = 2_000;

/** A report has at most this many reviews, so that they fit into one item. */
export const MAX_REVIEWS = 100;

/** `by` is absent once the user is erased. */
export const ReportReview = z
  .object({ by: z.optional(z.string()), at: epochMs("when it was reviewed."), note: z.optional(z.string()) })
  .register(z.globalRegistry, { id: "ReportReview", description: "One review of a report." });
export type ReportReview = z.output<typeof ReportReview>;

/** `id`: of the request that made it, which may be repeated. */
export const StoredReview = z.extend(ReportReview, { id: z.string() });
export type StoredReview = z.output<typeof StoredReview>;

/** A report's review as lists show it: the first one. Absent until then. */
export const firstReviewFields = {
  reviewedBy: z.optional(
    z.string().register(z.globalRegistry, {
      description: "The user who reviewed it first; absent until then, and once the user is erased.",
    }),
  ),
  reviewedAt: z.optional(epochMs("when it was reviewed first.")),
};

export const allReviews = z.optional(
  z.array(ReportReview).register(z.globalRegistry, { description: "All reviews, oldest first." }),
);

export const ReviewedReport = z
  .object({
    id: z.string(),
    reviewedBy: z.optional(z.string()),
    reviewedAt: epochMs("when it was reviewed first."),
    reviews: z.array(ReportReview),
  })
  .register(z.globalRegistry, { id: "ReviewedReport", description: "A report's reviews. The first one stands." });
export type ReviewedReport = z.output<typeof ReviewedReport>;

export const ReviewRequest = strictObject({
  note: z.optional(z.string().check(z.maxLength(NOTE_MAX_CHARACTERS))),
});

/** @param reviews oldest first. */
export const firstReviewOf = (reviews: readonly ReportReview[] | undefined) =>
  definedFields({ reviewedBy: reviews?.[0]?.by, reviewedAt: reviews?.[0]?.at });
