/**
 * The keys of the table of reports: partition key `scope` (the organization's), sort key `key`, expiry `ttl`.
 *
 * - `compliance#2026-11-21`, `review#2026-11-16`, `month#2026-11-01` the list's entry of a report (report-store.ts).
 * - `content#compliance#2026-11-21` the report as JSON text; stored apart so that lists stay cheap.
 * - `due#compliance#2026-11-21` a mark: the report must be made when its period is over (report-due-store.ts). `token` changes
 *   with each mark. In the sparse index byDue: partition key `dueShard` ("0" to "7"), sort key `key`, keys only.
 * - `reviews#compliance#2026-11-21` who reviewed the report, and when (report-review-store.ts). It outlives a report that an
 *   erasure makes anew.
 * - `erased` how often reports were erased (erase.ts).
 * - `link#<id>` a link to a report, until it ends (report-link-store.ts). It has no other attributes.
 *
 * Scope `#dispatcher`, key `connected`: `through` is the last day for which connected organizations were marked; while the
 * next `day` is being marked, `after` is the last organization that is.
 */
import { dayName, timeOfName } from "../terms/hours.ts";
import { DUE_REPORTS } from "../terms/tables.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { type Period, periodOf, type ReportKind, reportKinds } from "./period.ts";

/** Identifies a report of an organization. `from`: epoch ms. */
export type ReportRef = Pick<Period, "kind" | "from">;

export const kindPrefix = (kind: ReportKind): string => `${kind}#`;

export const entryKey = ({ kind, from }: ReportRef): string => kindPrefix(kind) + dayName(from);

export const isEntryKey = (key: string): boolean => reportKinds.some((kind) => key.startsWith(kindPrefix(kind)));

export const CONTENT_PREFIX = "content#";

export const contentKey = (report: ReportRef): string => CONTENT_PREFIX + entryKey(report);

const DUE_PREFIX = "due#";

export const dueKey = (report: ReportRef): string => DUE_PREFIX + entryKey(report);

export const REVIEWS_PREFIX = "reviews#";

export const reviewsKey = (report: ReportRef): string => REVIEWS_PREFIX + entryKey(report);

export const ERASED_KEY = "erased";

export const linkKey = (id: string): string => `link#${id}`;

export const dueReports = defineShardedIndex(DUE_REPORTS, { count: 8 });

export const DISPATCHER_KEY = { scope: "#dispatcher", key: "connected" };

/** The period in a sort key of an entry, content or mark. @throws Error for any other key, which is a bug. */
export const periodOfKey = (key: string): Period => {
  const [day = "", name] = key.split("#").reverse();
  const kind = reportKinds.find((one) => one === name);
  if (kind === undefined) throw new Error(`The key ${key} is not a report's.`);
  return periodOf(kind, timeOfName(day));
};
