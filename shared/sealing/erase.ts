/** What an erasure does to sealed hours: the events that it has emptied are sealed as erased. docs/evidence.md, "Erasure". */
import { timeOfEventId } from "../security/event-id.ts";
import { startOfHour } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import type { DataLocation, Partition } from "../work/location.ts";
import type { DueSealStore } from "./due-seal-store.ts";

export type SealErasedDependencies = { dueSeals: Pick<DueSealStore, "markDue"> };

/**
 * Marks the hours of the events that an erasure has emptied, whether a pass of it found them or an earlier one that crashed.
 * It erases nothing, so it counts nothing. Swept after the events.
 */
export const sealErasedHours = (
  { dueSeals }: SealErasedDependencies,
  organizationId: string,
  { events, erasureId }: { events: Partition; erasureId: string },
): DataLocation => ({
  name: "sealedHours",
  counter: "other",
  read: async (after) => {
    const { items, next } = await events.read(after, {
      attributes: [],
      filter: { condition: "#erasure = :erasure", values: { erasure: erasureId } },
    });
    const hours = new Set(items.map(({ sortKey }) => startOfHour(timeOfEventId(sortKey) ?? 0)));
    for (const hour of hours) await dueSeals.markDue(organizationKey(organizationId), hour);
    return { keys: [], next, erase: async () => undefined };
  },
});
