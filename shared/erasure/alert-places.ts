/** The alerts that a user is to go from. docs/erasure.md, "Alerts". */
import { inParallel } from "../runtime/in-parallel.ts";
import { cleaningOfAlert, namesAddress } from "./clean-alert.ts";
import type { ErasedUser } from "./event-places.ts";
import { judgedPlace } from "./partition-places.ts";
import type { Partition } from "./partition-store.ts";
import type { Place } from "./place.ts";

const LOOKS_AT_ONCE = 8;

/** Whether any of some events is, or was before this erasure emptied it, the user's. */
export type HoldsEventsOf = (
  eventIds: readonly string[],
  user: { userId: string; erasureId: string },
) => Promise<boolean>;

const idsOf = (eventIds: unknown): string[] =>
  (eventIds instanceof Set || Array.isArray(eventIds) ? [...eventIds] : []).filter((id) => typeof id === "string");

/** Swept before the events, which still say whose they are. */
export const alertsOfUser = (
  alerts: Partition,
  holdsEventsOf: HoldsEventsOf,
  { erasureId, ...user }: Omit<ErasedUser, "addresses"> & { erasureId: string },
): Place =>
  judgedPlace({ name: "alerts", counts: "alerts" }, alerts, async (items) => {
    const theirs = new Set<unknown>();
    await inParallel(items.filter(namesAddress), LOOKS_AT_ONCE, async (item) => {
      if (await holdsEventsOf(idsOf(item.eventIds), { userId: user.userId, erasureId })) theirs.add(item);
    });
    return items.map((item) => cleaningOfAlert(item, { ...user, holdsTheirEvents: theirs.has(item) }));
  });
