/** The locations that an erasure sweeps, in order. docs/erasure.md lists them as a table. */
import type { EraseReportsStore } from "../reports/erase-reports-store.ts";
import { CONTENT_PREFIX, entryKey, isEntryKey, periodOfKey } from "../reports/report-keys.ts";
import type { Clock } from "../runtime/clock.ts";
import { NOTE_PREFIX } from "../security/alerts/alert-note.ts";
import type { EraseFeed } from "../security/feed/erase-feed.ts";
import { organizationKey } from "../terms/keys.ts";
import { createUserMatcher, type UserMatcher } from "../terms/mentions-user.ts";
import { alertsOfUser, type HoldsEventsOf, notesOfUser } from "./alert-locations.ts";
import { type AuthorDependencies, authorLocations, everyAuthor } from "./author-locations.ts";
import { allDetection, detectionOfUser } from "./detection-locations.ts";
import { erasureKey } from "./erasure-item.ts";
import { allEvents, eventsOfUser, typedAlertsOfUser } from "./event-locations.ts";
import { allExports, type ExportDependencies, exportsOfUser } from "./export-locations.ts";
import { allFeed, feedOfUser } from "./feed-locations.ts";
import { type DataLocation, deletedLocation, type Partition, partitionLocation } from "./location.ts";
import {
  allNotifications,
  type FindAlerts,
  type NotificationDependencies,
  notificationsOfUser,
} from "./notification-locations.ts";
import type { Partitions } from "./partition-store.ts";
import { allRuns, runsOfUser } from "./run-locations.ts";

type ReportDependencies = { reports: EraseReportsStore; clock: Clock };

export type LocationDependencies = AuthorDependencies &
  ReportDependencies &
  NotificationDependencies &
  ExportDependencies & {
    partitionsOf(organizationId: string): Partitions;
    findAlerts(organizationId: string): FindAlerts;
    holdsEventsOf(organizationId: string): HoldsEventsOf;
    /** Undefined if the deployment has no feed for a SIEM. */
    feed?: EraseFeed | undefined;
  };

/** Entries are counted as reports. Contents go with their entries; the second location deletes contents without one. */
const allReports = ({ reports }: ReportDependencies, organizationId: string, partition: Partition): DataLocation[] => {
  const location = (
    name: string,
    counter: DataLocation["counter"],
    isIncluded: (key: string) => boolean,
  ): DataLocation => ({
    ...{ name, counter },
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
  ];
};

/**
 * Deletes the reports that mention the user, and marks them to be made again. Swept after the events and alerts, which
 * reports are made from.
 * @param identifiers the user's id and the addresses known at that time.
 */
const reportsOfUser = (
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

/** Marks of who read what in which minute, as digests (shared/security/data-read-store.ts). */
const READ_MARKS = "read#";

const readMarks = (rollups: Partition): DataLocation => ({
  ...deletedLocation({ name: "readMarks", counter: "other" }, rollups, READ_MARKS),
  createdAt: (key) => Date.parse(`${key.slice(READ_MARKS.length).split("#", 1)[0]}:00Z`),
});

/** Reasons of other erasures that mention the user. The reason of this erasure is deleted when it completes. */
const reasonsMentioning = (erasures: Partition, ownKey: string, { mentions }: UserMatcher): DataLocation =>
  partitionLocation(
    { name: "reasons", counter: "other" },
    erasures,
    (items) =>
      items.map(({ sortKey, reason }) =>
        mentions(reason) && sortKey !== ownKey ? { remove: ["reason"], set: {} } : undefined,
      ),
    { prefix: "erasure#", attributes: ["reason"] },
  );

/** `addresses` is filled while the events are swept. */
type ErasureContext = { organizationId: string; erasureId: string; addresses: Set<string> };

export const locationsOfOrganization = (
  dependencies: LocationDependencies,
  { organizationId, erasureId }: ErasureContext,
): DataLocation[] => {
  const partitions = dependencies.partitionsOf(organizationId);
  const { feed } = dependencies;
  return [
    ...authorLocations(dependencies, organizationId, everyAuthor),
    deletedLocation({ name: "records", counter: "records" }, partitions.records),
    deletedLocation({ name: "webhookEvents", counter: "webhookEvents" }, partitions.webhookEvents),
    allRuns(partitions.runs),
    deletedLocation({ name: "alertNotes", counter: "other" }, partitions.alerts, NOTE_PREFIX),
    deletedLocation({ name: "alerts", counter: "alerts" }, partitions.alerts),
    ...allNotifications(dependencies, organizationId, partitions.notifications),
    allDetection(partitions.detection),
    ...allExports(dependencies, organizationId, partitions.exports),
    allEvents(partitions.events, erasureId),
    ...(feed === undefined ? [] : allFeed(feed, organizationId, partitions)),
    ...allReports(dependencies, organizationId, partitions.reports),
    readMarks(partitions.rollups),
  ];
};

export const locationsOfUser = (
  dependencies: LocationDependencies,
  { organizationId, erasureId, addresses }: ErasureContext,
  userId: string,
): DataLocation[] => {
  const partitions = dependencies.partitionsOf(organizationId);
  const { feed } = dependencies;
  const matcher = createUserMatcher([userId]);
  const user = { userId, matcher };
  const identifiers = () => [userId, ...addresses];
  return [
    ...authorLocations(dependencies, organizationId, { isErased: (id) => id === userId, mentions: matcher.mentions }),
    runsOfUser(partitions.runs, matcher),
    typedAlertsOfUser(partitions.events, partitions.alerts, userId),
    alertsOfUser(partitions.alerts, dependencies.holdsEventsOf(organizationId), { ...user, erasureId }),
    notesOfUser(partitions.alerts, user),
    detectionOfUser(partitions.detection, { ...user, scope: organizationKey(organizationId) }),
    eventsOfUser(partitions.events, erasureId, { ...user, addresses }),
    ...(feed === undefined ? [] : [feedOfUser(feed, organizationId, { events: partitions.events, erasureId })]),
    ...notificationsOfUser(dependencies, organizationId, partitions.notifications, {
      ...{ userId, identifiers },
      findAlerts: dependencies.findAlerts(organizationId),
    }),
    ...exportsOfUser(dependencies, organizationId, partitions.exports, { userId, identifiers }),
    reportsOfUser(dependencies, organizationId, identifiers),
    readMarks(partitions.rollups),
    reasonsMentioning(partitions.erasures, erasureKey(organizationId, erasureId).key, matcher),
  ];
};
