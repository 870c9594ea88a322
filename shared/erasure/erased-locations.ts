/** The locations that an erasure sweeps, in order, and their tables. docs/erasure.md lists what is erased there. */
import { allArchive, archiveOfUser, type EraseArchive } from "../archive/erase.ts";
import { type CircuitDependencies, circuitAuthors } from "../circuit-breaker/erase.ts";
import { type ConnectionDependencies, connectionAuthor } from "../connection/erase.ts";
import { allDetection, detectionOfUser } from "../detection/erase.ts";
import { type RuleDependencies, ruleSettings } from "../detection/erase-rules.ts";
import { allDrills, drillsOfUser } from "../drills/erase.ts";
import { allExports, type ExportDependencies, exportsOfUser } from "../exports/erase.ts";
import { allMutes, type MuteDependencies, mutesOfUser } from "../mutes/erase.ts";
import {
  allNotifications,
  destinationAuthors,
  type NotificationDependencies,
  notificationsOfUser,
} from "../notifications/erase.ts";
import { allPreviews } from "../previews/erase.ts";
import { allRecords } from "../records/erase.ts";
import { allReports, type ReportDependencies, reportsOfUser, reviewsOfUser } from "../reports/erase.ts";
import { type SealErasedDependencies, sealErasedHours } from "../sealing/erase.ts";
import { alertsOfUser, allAlerts, type FindAlerts, notesOfUser, typedAlertsOfUser } from "../security/alerts/erase.ts";
import { allEvents, eventsOfUser, type HoldsEventsOf, readMarks } from "../security/erase.ts";
import { allFeed, type EraseFeed, feedOfUser } from "../security/feed/erase.ts";
import { type SettingsDependencies, settingsAuthors } from "../settings/erase.ts";
import { allRuns, runsOfUser } from "../sync/erase.ts";
import { organizationKey } from "../terms/keys.ts";
import type { Lacks } from "../terms/lacks.ts";
import { createUserMatcher, type UserMatcher } from "../terms/mentions-user.ts";
import type { TableName } from "../terms/tables.ts";
import { allWebhookEvents } from "../webhooks/erase.ts";
import { type DataLocation, type ErasedAuthors, type Partition, partitionLocation } from "../work/location.ts";
import { erasureKey } from "./erasure-item.ts";
import type { Partitions, Unswept } from "./partition-store.ts";

export type LocationDependencies = ConnectionDependencies &
  SettingsDependencies &
  RuleDependencies &
  NotificationDependencies &
  MuteDependencies &
  CircuitDependencies &
  ReportDependencies &
  ExportDependencies &
  SealErasedDependencies & {
    partitionsOf(organizationId: string): Partitions;
    findAlerts(organizationId: string): FindAlerts;
    holdsEventsOf(organizationId: string): HoldsEventsOf;
    /** Undefined if the deployment has no feed for a SIEM. */
    feed?: EraseFeed | undefined;
    /** Undefined if the deployment has no archive. */
    archive?: EraseArchive | undefined;
  };

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

/** Locations in a table, or in objects that are written from it. */
type InTable = readonly [table: TableName, ...locations: DataLocation[]];

const authorsOf = (dependencies: LocationDependencies, organizationId: string, erased: ErasedAuthors) =>
  [
    ["connections", connectionAuthor(dependencies, organizationId, erased)],
    [
      "settings",
      ...settingsAuthors(dependencies, organizationId, erased),
      ruleSettings(dependencies, organizationId, erased),
    ],
    ["notifications", destinationAuthors(dependencies, organizationId, erased)],
    ["circuits", circuitAuthors(dependencies, organizationId, erased)],
  ] as const satisfies readonly InTable[];

const inTablesOfOrganization = (
  dependencies: LocationDependencies,
  { organizationId, erasureId }: Omit<ErasureContext, "addresses">,
) => {
  const partitions = dependencies.partitionsOf(organizationId);
  const { feed, archive } = dependencies;
  const feedMarks = { rollups: partitions.securityRollups, hasArchive: archive !== undefined };
  return [
    ...authorsOf(dependencies, organizationId, { isErased: () => true, mentions: () => true }),
    ["records", allRecords(partitions.records)],
    ["webhookEvents", ...allWebhookEvents(partitions.webhookEvents)],
    ["syncRuns", allRuns(partitions.syncRuns)],
    ["securityAlerts", ...allAlerts(partitions.securityAlerts)],
    ["notifications", ...allNotifications(dependencies, organizationId, partitions.notifications)],
    ["mutes", ...allMutes(dependencies, organizationId, partitions.mutes)],
    ["detection", allDetection(partitions.detection)],
    ["previews", allPreviews(partitions.previews)],
    ["drills", allDrills(partitions.drills)],
    ["exports", ...allExports(dependencies, organizationId, partitions.exports)],
    ["securityEvents", allEvents(partitions.securityEvents, erasureId)],
    [
      "securityRollups",
      sealErasedHours(dependencies, organizationId, { events: partitions.securityEvents, erasureId }),
    ],
    ["securityRollups", ...(feed === undefined ? [] : allFeed(feed, organizationId, feedMarks))],
    ["securityEvents", ...(archive === undefined ? [] : [allArchive(archive, organizationId, erasureId)])],
    ["reports", ...allReports(dependencies, organizationId, partitions.reports)],
    ["securityRollups", readMarks(partitions.securityRollups)],
  ] as const satisfies readonly InTable[];
};

const inTablesOfUser = (
  dependencies: LocationDependencies,
  { organizationId, erasureId, addresses }: ErasureContext,
  userId: string,
) => {
  const partitions = dependencies.partitionsOf(organizationId);
  const { securityEvents: events, securityAlerts: alerts } = partitions;
  const { feed, archive } = dependencies;
  const matcher = createUserMatcher([userId]);
  const user = { userId, matcher };
  const identifiers = () => [userId, ...addresses];
  const own = erasureKey(organizationId, erasureId).key;
  return [
    ...authorsOf(dependencies, organizationId, { isErased: (id) => id === userId, mentions: matcher.mentions }),
    ["syncRuns", runsOfUser(partitions.syncRuns, matcher)],
    ["securityEvents", typedAlertsOfUser(events, alerts, userId)],
    ["securityAlerts", alertsOfUser(alerts, dependencies.holdsEventsOf(organizationId), { ...user, erasureId })],
    ["securityAlerts", notesOfUser(alerts, user)],
    ["detection", detectionOfUser(partitions.detection, { ...user, scope: organizationKey(organizationId) })],
    ["previews", allPreviews(partitions.previews)],
    ["drills", drillsOfUser(partitions.drills, user)],
    ["securityEvents", eventsOfUser(events, erasureId, { ...user, addresses })],
    ["securityRollups", sealErasedHours(dependencies, organizationId, { events, erasureId })],
    ["securityEvents", ...(feed === undefined ? [] : [feedOfUser(feed, organizationId, { events, erasureId })])],
    [
      "securityEvents",
      ...(archive === undefined ? [] : [archiveOfUser(archive, organizationId, erasureId, { ...user, addresses })]),
    ],
    [
      "notifications",
      ...notificationsOfUser(dependencies, organizationId, partitions.notifications, {
        userId,
        identifiers,
        findAlerts: dependencies.findAlerts(organizationId),
      }),
    ],
    [
      "mutes",
      ...mutesOfUser(dependencies, organizationId, partitions.mutes, {
        ...user,
        findAlerts: dependencies.findAlerts(organizationId),
      }),
    ],
    ["exports", ...exportsOfUser(dependencies, organizationId, partitions.exports, { userId, identifiers })],
    ["reports", reportsOfUser(dependencies, organizationId, identifiers), reviewsOfUser(partitions.reports, user)],
    ["securityRollups", readMarks(partitions.securityRollups)],
    ["erasures", reasonsMentioning(partitions.erasures, own, matcher)],
  ] as const satisfies readonly InTable[];
};

type Swept = ReturnType<typeof inTablesOfOrganization | typeof inTablesOfUser>[number][0];

true satisfies Lacks<TableName, Swept | keyof Unswept, "to the locations in shared/erasure/erased-locations.ts">;

export const locationsOfOrganization = (...args: Parameters<typeof inTablesOfOrganization>): DataLocation[] =>
  inTablesOfOrganization(...args).flatMap(([, ...locations]) => locations);

export const locationsOfUser = (...args: Parameters<typeof inTablesOfUser>): DataLocation[] =>
  inTablesOfUser(...args).flatMap(([, ...locations]) => locations);
