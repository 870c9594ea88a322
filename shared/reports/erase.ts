/** What an erasure does to reports: they are deleted, and those that mention a user are made again without the user. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { type Table, updateItem } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { deletePart, transact } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import { createUserMatcher, type UserMatcher } from "../terms/mentions-user.ts";
import { type DataLocation, ERASED_TEXT, type Partition, partitionLocation } from "../work/location.ts";
import type { Period } from "./period.ts";
import { createReportDueStore } from "./report-due-store.ts";
import {
  CONTENT_PREFIX,
  contentKey,
  ERASED_KEY,
  entryKey,
  isEntryKey,
  periodOfKey,
  REVIEWS_PREFIX,
  type ReportRef,
} from "./report-keys.ts";
import { StoredReview } from "./report-review.ts";

const Content = z.object({ key: z.string(), report: z.string() });

const DELETED_AT_ONCE = 8;

export type EraseReportsStore = ReturnType<typeof createEraseReportsStore>;

/**
 * Erases reports. A report that was begun before an erasure is not stored afterwards (report-store.ts), but made again from
 * the remaining data. All calls are idempotent and throw DomainError `store_unavailable`.
 */
export const createEraseReportsStore = (table: Table<"reports">) => {
  const due = createReportDueStore(table);

  /** Entry and content are deleted together: a remaining entry would claim for ever that the report was made. */
  const deletionOf = (scope: string, report: ReportRef) =>
    [entryKey(report), contentKey(report)].map((key) => deletePart(table, { scope, key }));

  return {
    /** Prevents that reports which were begun before are stored. One write unit. */
    async invalidateBegun(organizationId: string): Promise<void> {
      // If an answer is lost, the SDK counts twice, which invalidates just as well.
      await updateItem(table, { scope: organizationKey(organizationId), key: ERASED_KEY }, { add: { times: 1 } });
    },

    /**
     * The reports in which a text mentions a user. Reads all reports: a read unit per 4 KB.
     * @param identifiers the user's id, and addresses of the user.
     */
    async reportsMentioning(organizationId: string, identifiers: readonly string[]): Promise<Period[]> {
      const pages = queryPages(table, {
        where: "#scope = :scope AND begins_with(#key, :content)",
        values: { scope: organizationKey(organizationId), content: CONTENT_PREFIX },
        isConsistent: true,
      });
      const { mentions } = createUserMatcher(identifiers);
      const found: Period[] = [];
      for await (const page of pages) {
        for (const item of page) {
          const { key, report } = Content.parse(item);
          if (mentions(JSON.parse(report))) found.push(periodOfKey(key));
        }
      }
      return found;
    },

    /** Deletes reports, if they exist. Two write units for each KB of them. */
    deleteReports: (organizationId: string, reports: readonly ReportRef[]): Promise<void> =>
      inParallel(reports, DELETED_AT_ONCE, async (report) => {
        await transact(table, deletionOf(organizationKey(organizationId), report));
      }),

    /**
     * Deletes reports and marks them as due in one transaction, so that none is lost. The next dispatch has each made again
     * from the remaining data, however old it is. @param now epoch ms.
     */
    replaceReports: (organizationId: string, periods: readonly Period[], now: number): Promise<void> =>
      inParallel(periods, DELETED_AT_ONCE, async (period) => {
        const scope = organizationKey(organizationId);
        await transact(table, [...deletionOf(scope, period), due.partOf(scope, period, now)]);
      }),
  };
};

export type ReportDependencies = { reports: EraseReportsStore; clock: Clock };

const Reviews = z.array(StoredReview);

/** A review without the user: that somebody reviewed the report, and when, stays. */
const cleanReview = (
  { by, note, ...review }: StoredReview,
  userId: string,
  { mentions }: UserMatcher,
): StoredReview => ({
  ...review,
  ...definedFields({ by: by === userId ? undefined : by, note: note && mentions(note) ? ERASED_TEXT : note }),
});

/** The reviews that the user made, or whose notes mention the user. */
export const reviewsOfUser = (
  reports: Partition,
  { userId, matcher }: { userId: string; matcher: UserMatcher },
): DataLocation =>
  partitionLocation(
    { name: "reportReviews", counter: "other" },
    reports,
    (items) =>
      items.map((item) => {
        const stored = Reviews.parse(item.reviews);
        const reviews = stored.map((review) => cleanReview(review, userId, matcher));
        return isDeepStrictEqual(stored, reviews) ? undefined : { remove: [], set: { reviews } };
      }),
    { prefix: REVIEWS_PREFIX, attributes: ["reviews"], isGuarded: true },
  );

/** Entries are counted as reports. Contents go with their entries; the second location deletes contents without one. */
export const allReports = (
  { reports }: Pick<ReportDependencies, "reports">,
  organizationId: string,
  partition: Partition,
): DataLocation[] => {
  const location = (
    name: string,
    counter: DataLocation["counter"],
    isIncluded: (key: string) => boolean,
  ): DataLocation => ({
    name,
    counter,
    read: async (after) => {
      // A report that is being made may contain data that this erasure removes.
      if (after === undefined) await reports.invalidateBegun(organizationId);
      const { items, next } = await partition.read(after, { attributes: [] });
      const keys = items.map(({ sortKey }) => sortKey).filter(isIncluded);
      return { keys, next, erase: () => reports.deleteReports(organizationId, keys.map(periodOfKey)) };
    },
  });
  return [
    location("reports", "reports", isEntryKey),
    location("reportContents", "other", (key) => key.startsWith(CONTENT_PREFIX)),
    partitionLocation({ name: "reportReviews", counter: "other" }, partition, (items) => items.map(() => "delete"), {
      prefix: REVIEWS_PREFIX,
      attributes: [],
    }),
  ];
};

/**
 * Deletes the reports that mention the user, and marks them to be made again. Swept after the events and alerts, which
 * reports are made from.
 * @param identifiers the user's id and the addresses known at that time.
 */
export const reportsOfUser = (
  { reports, clock }: ReportDependencies,
  organizationId: string,
  identifiers: () => readonly string[],
): DataLocation => ({
  name: "reports",
  counter: "reports",
  read: async () => {
    // A report that is being made may contain data that this erasure removes.
    await reports.invalidateBegun(organizationId);
    const found = await reports.reportsMentioning(organizationId, identifiers());
    const byKey = new Map(found.map((period) => [entryKey(period), period]));
    return {
      keys: [...byKey.keys()].sort(),
      next: undefined,
      erase: () => reports.replaceReports(organizationId, [...byKey.values()], clock()),
    };
  },
});
