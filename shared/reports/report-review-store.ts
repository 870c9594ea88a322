import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { replaceSingly } from "../runtime/replace-item.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { getItem, type Table } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { expiryOf } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { type Period, reportId } from "./period.ts";
import { periodOfKey, REVIEWS_PREFIX, type ReportRef, reviewsKey } from "./report-keys.ts";
import { MAX_REVIEWS, type ReportReview, StoredReview } from "./report-review.ts";

const Item = z.object({ key: z.string(), reviews: z.array(StoredReview), token: z.string(), ttl: z.number() });

const MAX_ATTEMPTS = 12;

const shown = (reviews: readonly StoredReview[]): ReportReview[] => reviews.map(({ id: _, ...review }) => review);

export type ReportReviewStore = ReturnType<typeof createReportReviewStore>;

/**
 * The reviews of reports: one item for each report that has any, apart from the report, which an erasure makes anew. They
 * expire with the report. All calls throw DomainError `store_unavailable`.
 */
export const createReportReviewStore = (table: Table<"reports">, { retentionDays }: { retentionDays: number }) => {
  const replace = replaceSingly(table, "token");

  return {
    /**
     * Adds a review, unless the same request has added it before. A read unit, and a write unit per KB of all reviews.
     * @returns all reviews of the report, oldest first.
     * @throws DomainError `too_many_reviews`.
     */
    async add(
      organizationId: string,
      report: Pick<Period, "kind" | "from" | "to">,
      review: StoredReview,
    ): Promise<ReportReview[]> {
      const key = { scope: organizationKey(organizationId), key: reviewsKey(report) };
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const previous = await getItem(table, key);
        const before = previous === undefined ? [] : Item.parse(previous).reviews;
        if (before.some(({ id }) => id === review.id)) return shown(before);
        if (before.length >= MAX_REVIEWS)
          throw new DomainError("too_many_reviews", `The report has ${MAX_REVIEWS} reviews already.`);
        const reviews = [...before, review];
        const ttl = expiryOf(report.to - 1, retentionDays);
        if (await replace({ key, item: { ...key, reviews, token: newRequestToken(), ttl }, previous }))
          return shown(reviews);
        await pauseBeforeRetry(attempts);
      }
      throw new DomainError("store_unavailable", "The reviews change too fast. Try again.");
    },

    /** The reviews of a report, oldest first. A read unit per 4 KB. */
    async read(organizationId: string, report: ReportRef): Promise<ReportReview[]> {
      const item = await getItem(table, { scope: organizationKey(organizationId), key: reviewsKey(report) });
      return item === undefined ? [] : shown(Item.parse(item).reviews);
    },

    /** The reviews of all reports, by report id. A read unit per 4 KB of them. */
    async readAll(organizationId: string): Promise<Map<string, ReportReview[]>> {
      const pages = queryPages(table, {
        where: "#scope = :scope AND begins_with(#key, :prefix)",
        values: { scope: organizationKey(organizationId), prefix: REVIEWS_PREFIX },
        isConsistent: true,
      });
      const found = new Map<string, ReportReview[]>();
      for await (const page of pages)
        for (const item of page) {
          const { key, reviews } = Item.parse(item);
          found.set(reportId(periodOfKey(key)), shown(reviews));
        }
      return found;
    },
  };
};
