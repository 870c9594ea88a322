/**
 * What an erasure does to drills. An organization's are deleted. Those of a user lose their requester; who acknowledged a
 * drill's alert is in the alert only. docs/erasure.md.
 */
import { type DataLocation, deletedLocation, type Partition, partitionLocation } from "../work/location.ts";
import { DRILL_PREFIX, DrillOrigin } from "./drill-item.ts";

const drillsNamed = { name: "drills", counter: "other" } as const;

export const allDrills = (drills: Partition): DataLocation => deletedLocation(drillsNamed, drills);

/** The event of the drill's start is recorded without the user. */
export const drillsOfUser = (drills: Partition, { userId }: { userId: string }): DataLocation =>
  partitionLocation(
    drillsNamed,
    drills,
    (items) =>
      items.map(({ origin }) => {
        const { data } = DrillOrigin.safeParse(origin);
        return data?.userId === userId ? { remove: [], set: { origin: { requestId: data.requestId } } } : undefined;
      }),
    { prefix: DRILL_PREFIX, attributes: ["origin"], isGuarded: true },
  );
