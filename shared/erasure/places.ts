/** All places of an erasure, in the order in which they are swept. docs/erasure.md has them as a table. */
import { organizationKey } from "../terms/keys.ts";
import { createNaming, type Naming } from "../terms/mentions-user.ts";
import { alertsOfUser, type HoldsEventsOf } from "./alert-places.ts";
import { type AuthorParts, authorPlaces, everybody } from "./author-places.ts";
import { allOfDetection, detectionOfUser } from "./detection-places.ts";
import { erasureKey } from "./erasure-item.ts";
import { allEvents, eventsOfUser, typedAlerts } from "./event-places.ts";
import { deletedPlace, judgedPlace } from "./partition-places.ts";
import type { Partition } from "./partition-store.ts";
import type { Place } from "./place.ts";
import { allReports, type ReportParts, reportsOfUser } from "./report-places.ts";
import { allOfRuns, runsOfUser } from "./run-places.ts";

/** The partitions of one organization. */
export type Partitions = Readonly<
  Record<
    "records" | "webhookEvents" | "runs" | "alerts" | "detection" | "reports" | "events" | "rollups" | "erasures",
    Partition
  >
>;

export type PlaceParts = AuthorParts &
  ReportParts & {
    partitionsOf(organizationId: string): Partitions;
    eventOwnersOf(organizationId: string): HoldsEventsOf;
  };

/** Marks of who read what in which minute, as digests (shared/security/data-read-store.ts). */
const READ_MARKS = "read#";

const readMarks = (rollups: Partition): Place => ({
  ...deletedPlace({ name: "readMarks", counts: "other" }, rollups, READ_MARKS),
  timeOf: (key) => Date.parse(`${key.slice(READ_MARKS.length).split("#", 1)[0]}:00Z`),
});

/** `addresses` is filled while the events are swept. */
type Swept = { organizationId: string; erasureId: string; addresses: Set<string> };

export const placesOfAll = (parts: PlaceParts, { organizationId, erasureId }: Swept): Place[] => {
  const partitions = parts.partitionsOf(organizationId);
  return [
    ...authorPlaces(parts, organizationId, everybody),
    deletedPlace({ name: "records", counts: "records" }, partitions.records),
    deletedPlace({ name: "webhookEvents", counts: "webhookEvents" }, partitions.webhookEvents),
    allOfRuns(partitions.runs),
    deletedPlace({ name: "alerts", counts: "alerts" }, partitions.alerts),
    allOfDetection(partitions.detection),
    allEvents(partitions.events, erasureId),
    ...allReports(parts, organizationId, partitions.reports),
    readMarks(partitions.rollups),
  ];
};

/** Others' reasons for erasures that name the user; this one's own goes when it is completed. */
const reasonsOfUser = (erasures: Partition, { organizationId, erasureId }: Swept, naming: Naming): Place =>
  judgedPlace(
    { name: "reasons", counts: "other" },
    erasures,
    async (items) =>
      items.map(({ sortKey, reason }) =>
        naming.names(reason) && sortKey !== erasureKey(organizationId, erasureId).key
          ? { remove: ["reason"], set: {} }
          : undefined,
      ),
    { prefix: "erasure#", attributes: ["reason"] },
  );

export const placesOfUser = (parts: PlaceParts, swept: Swept, userId: string): Place[] => {
  const { organizationId, erasureId, addresses } = swept;
  const partitions = parts.partitionsOf(organizationId);
  const naming = createNaming([userId]);
  const user = { userId, naming };
  const forgotten = { isNamed: (id: string) => id === userId, isNamedIn: naming.names };
  return [
    ...authorPlaces(parts, organizationId, forgotten),
    runsOfUser(partitions.runs, naming),
    typedAlerts(partitions.events, partitions.alerts, userId),
    alertsOfUser(partitions.alerts, parts.eventOwnersOf(organizationId), { ...user, erasureId }),
    detectionOfUser(partitions.detection, { ...user, scope: organizationKey(organizationId) }),
    eventsOfUser(partitions.events, erasureId, { ...user, addresses }),
    reportsOfUser(parts, organizationId, () => [userId, ...addresses]),
    readMarks(partitions.rollups),
    reasonsOfUser(partitions.erasures, swept, naming),
  ];
};
