/** Reports: deleted, and where one user is erased made anew without them. */
import type { EraseReportsStore } from "../reports/erase-reports-store.ts";
import { CONTENT_PREFIX, entryKey, isEntryKey, periodOfKey } from "../reports/report-keys.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Partition } from "./partition-store.ts";
import type { Place } from "./place.ts";

export type ReportParts = { reports: EraseReportsStore; clock: Clock };

/** Entries are what reports are counted by; what they say goes with them, and afterwards what lies there without one. */
export const allReports = ({ reports }: ReportParts, organizationId: string, partition: Partition): Place[] => {
  const place = (name: string, counts: Place["counts"], isTheirs: (key: string) => boolean): Place => ({
    name,
    counts,
    read: async (after) => {
      // A report that somebody is making was begun with what is to go.
      if (after === undefined) await reports.invalidateBegun(organizationId);
      const { items, next } = await partition.read(after, { attributes: [] });
      const keys = items.map(({ sortKey }) => sortKey).filter(isTheirs);
      return { keys, next, remove: () => reports.deleteReports(organizationId, keys.map(periodOfKey)) };
    },
  });
  return [
    place("reports", "reports", isEntryKey),
    place("reportContents", "other", (key) => key.startsWith(CONTENT_PREFIX)),
  ];
};

/** Swept after the events and alerts, which reports are made of. @param names the user's id and addresses, as known by then. */
export const reportsOfUser = (
  { reports, clock }: ReportParts,
  organizationId: string,
  names: () => readonly string[],
): Place => ({
  name: "reports",
  counts: "reports",
  read: async () => {
    // A report that somebody is making was begun with what is to go.
    await reports.invalidateBegun(organizationId);
    const theirs = new Map((await reports.reportsNaming(organizationId, names())).map((one) => [entryKey(one), one]));
    return {
      keys: [...theirs.keys()].sort(),
      next: undefined,
      remove: () => reports.replaceReports(organizationId, [...theirs.values()], clock()),
    };
  },
});
