import * as z from "zod/mini";
import { getItem, type Table, unchanged } from "../runtime/table.ts";
import { queryPage } from "../runtime/table-query.ts";
import { checkPart, putPart, transact } from "../runtime/table-transaction.ts";
import { DAY_MS, expiryOf } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { periodOf, type ReportKind, reportKinds } from "./period.ts";
import { Report, ReportEntry, type ReportPosition } from "./report.ts";
import { contentKey, ERASED_KEY, entryKey, kindPrefix, type ReportRef } from "./report-keys.ts";
import { firstReviewOf } from "./report-review.ts";
import { createReportReviewStore } from "./report-review-store.ts";

const EntryItem = z.extend(ReportEntry, { ttl: z.number() });
const ContentItem = z.object({ report: z.string(), ttl: z.number() });
const ErasedItem = z.object({ times: z.number() });

/** How often reports were erased. @param item with ERASED_KEY. */
export const erasedTimesOf = (item: unknown): number => (item === undefined ? 0 : ErasedItem.parse(item).times);

/** `erased`: reports were erased after this one was begun, so it was not stored. */
export type PutResult = "stored" | "exists" | "erased";

/** Latest end first; of two with the same end, the one made last. */
const compare = (a: ReportPosition, b: ReportPosition): number =>
  b.to - a.to || b.createdAt - a.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** An organization has fewer reports of each kind: a daily one of the longest retention (limits.md). */
const MAX_REPORTS = 4_000;

type ReportPage = { limit: number; after: ReportPosition | undefined; now: number; isReviewed?: boolean | undefined };

export type ReportStore = ReturnType<typeof createReportStore>;

/**
 * The reports of each organization; keys in report-keys.ts. Expired items are never returned. All calls throw DomainError
 * `store_unavailable`.
 */
export const createReportStore = (table: Table<"reports">, { retentionDays }: { retentionDays: number }) => {
  const reviews = createReportReviewStore(table, { retentionDays });
  const readItem = (organizationId: string, key: string) =>
    getItem(table, { scope: organizationKey(organizationId), key });

  /** The entries of a kind whose period ends no later than the position's. */
  const readKind = async (scope: string, kind: ReportKind, limit: number, after: ReportPosition | undefined) => {
    const query = {
      where: "#scope = :scope AND #key BETWEEN :first AND :last",
      values: {
        scope,
        first: kindPrefix(kind),
        // `$` follows `#`.
        last: after === undefined ? `${kind}$` : entryKey(periodOf(kind, after.to - DAY_MS)),
      },
      isDescending: true,
      isConsistent: true,
    };
    // One more, because the first one may be on the previous page.
    const { items } = await queryPage(table, query, limit + 2);
    return items.map((item) => EntryItem.parse(item));
  };

  return {
    /** How often the organization's reports were erased. Must be read before a report is begun. */
    async erasedTimes(organizationId: string): Promise<number> {
      return erasedTimesOf(await readItem(organizationId, ERASED_KEY));
    },

    /** Whether a report was made. @param now epoch ms, for a report that must not have expired. */
    async has(organizationId: string, report: ReportRef, now = 0): Promise<boolean> {
      const item = await readItem(organizationId, entryKey(report));
      return item !== undefined && EntryItem.parse(item).ttl * 1_000 > now;
    },

    /**
     * Stores a report unless its period has one; six write units, and two for each KB of the report.
     * @param erasedTimes as read before anything was read for the report.
     */
    async put(organizationId: string, report: Report, erasedTimes: number): Promise<PutResult> {
      const scope = organizationKey(organizationId);
      const ttl = expiryOf(report.to - 1, retentionDays);
      const content = { scope, key: contentKey(report), report: JSON.stringify(report), ttl };
      const entry = { ...ReportEntry.parse(report), scope, key: entryKey(report), ttl };
      const isNotErased = unchanged("times", erasedTimes === 0 ? undefined : erasedTimes);
      const failed = await transact(table, [
        putPart(table, entry, { condition: "attribute_not_exists(#key)" }),
        putPart(table, content),
        checkPart(table, { scope, key: ERASED_KEY }, isNotErased),
      ]);
      if (failed.size === 0) return "stored";
      return failed.has(2) ? "erased" : "exists";
    },

    /** A report with its reviews. @param now epoch ms. */
    async get(organizationId: string, report: ReportRef, now: number): Promise<Report | undefined> {
      const [item, reviewed] = await Promise.all([
        readItem(organizationId, contentKey(report)),
        reviews.read(organizationId, report),
      ]);
      if (item === undefined) return undefined;
      const content = ContentItem.parse(item);
      if (content.ttl * 1_000 <= now) return undefined;
      const made = Report.parse(JSON.parse(content.report));
      return reviewed.length === 0 ? made : { ...made, ...firstReviewOf(reviewed), reviews: reviewed };
    },

    /**
     * A page of an organization's reports with their first reviews, the latest period first; a read unit per 4 KB of
     * entries of about 150 bytes, and of all reviews.
     * @param page.now epoch ms; page.isReviewed: only those with a review, or without; all entries are read then.
     */
    async list(
      organizationId: string,
      { limit, after, now, isReviewed }: ReportPage,
    ): Promise<{ items: ReportEntry[]; next: ReportPosition | undefined }> {
      const scope = organizationKey(organizationId);
      const toRead = isReviewed === undefined ? limit : MAX_REPORTS;
      const [reviewed, ...byKind] = await Promise.all([
        reviews.readAll(organizationId),
        ...reportKinds.map((kind) => readKind(scope, kind, toRead, after)),
      ]);
      const found = byKind
        .flat()
        .filter((entry) => entry.ttl * 1_000 > now && (after === undefined || compare(after, entry) < 0))
        .filter(({ id }) => isReviewed === undefined || reviewed.has(id) === isReviewed)
        .sort(compare);
      const items = found
        .slice(0, limit)
        .map((entry) => ({ ...ReportEntry.parse(entry), ...firstReviewOf(reviewed.get(entry.id)) }));
      const last = items.at(-1);
      if (found.length <= limit || last === undefined) return { items, next: undefined };
      const { id, to, createdAt } = last;
      return { items, next: { id, to, createdAt } };
    },
  };
};
