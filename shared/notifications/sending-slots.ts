/**
 * Bounds the tries of an organization that are under way. A receiver that does not answer holds an instance of the sender
 * for 10 s, so an organization has a few slots, and its other deliveries wait. One item of the organization has all slots,
 * each as a lease: a conditional write takes a free one. If an instance dies, its slot is free when the lease ends.
 * docs/notifications.md, "Tries under way".
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { writeLog } from "../runtime/log.ts";
import { type Table, updateItem } from "../runtime/table.ts";
import { sendingSlotsKey } from "./notification-items.ts";

/** Slots of an organization, and how many of them one destination may take. */
export const SLOTS = 7;
export const SLOTS_OF_DESTINATION = 5;

/** Slots of an organization for all its slow destinations together, so that these wait behind the others. */
export const SLOTS_OF_SLOW = 2;

/** A destination is slow after a try of at least this time. */
export const SLOW_MS = 5_000;

/** Longer than a try, 10 s, with the reading of the destination's secrets, at most 4 s. */
export const SLOT_LEASE_MS = 15_000;

/**
 * If this many slots are in use when a slot is taken, a second write gives it back after the try. Otherwise the instance
 * keeps the slot for its next try until the lease ends, without a write.
 */
export const CROWDED = 3;

const ITEM_LIFE_MS = 3_600_000;

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const SLOT_NAMES = names("slot", SLOTS);
const SLOW_NAMES = names("slow", SLOTS_OF_SLOW);

/** `until`: epoch ms. */
const Lease = z.object({ token: z.string(), until: z.number() });
const Slots = z.object(Object.fromEntries([...SLOT_NAMES, ...SLOW_NAMES].map((name) => [name, z.optional(Lease)])));

/** The list, rotated by a hash of the text. */
const rotated = (list: readonly string[], text: string): string[] => {
  const start = createHash("sha256").update(text).digest().readUInt32BE(0) % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
};

type SlotUser = { id: string; isSlow?: boolean | undefined };

/** The slots that a destination may take, always the same ones, in the order in which this try asks for them. */
const slotsFor = ({ id, isSlow }: SlotUser, token: string): string[] =>
  rotated(isSlow === true ? SLOW_NAMES : rotated(SLOT_NAMES, id).slice(0, SLOTS_OF_DESTINATION), token);

/** A slot that a try has taken until `until`, epoch ms. `isCrowded`: at least CROWDED slots were in use, this one included. */
export type Slot = { name: string; token: string; until: number; isCrowded: boolean };

export type SendingSlots = ReturnType<typeof createSendingSlots>;

export const createSendingSlots = (table: Table<"notifications">) => {
  /** Slots that no try of this instance uses any more, and that were not given back. */
  let kept: { organizationId: string; slot: Slot }[] = [];

  const takeKept = (organizationId: string, allowed: readonly string[], now: number): Slot | undefined => {
    kept = kept.filter(({ slot }) => slot.until > now);
    const found = kept.find((one) => one.organizationId === organizationId && allowed.includes(one.slot.name));
    kept = kept.filter((one) => one !== found);
    return found?.slot;
  };

  return {
    /**
     * Takes a slot: one write unit, and another one for each slot that turns out to be in use.
     * @param by.token of the try. @param by.now epoch ms.
     * @returns undefined if no slot is free. @throws DomainError `store_unavailable`.
     */
    async take(
      organizationId: string,
      destination: SlotUser,
      { token, now }: { token: string; now: number },
    ): Promise<Slot | undefined> {
      const allowed = slotsFor(destination, token);
      const lease = { token, until: now + SLOT_LEASE_MS };
      const own = takeKept(organizationId, allowed, now);
      let name = own?.name ?? allowed[0];
      for (let asked = 0; asked < allowed.length && name !== undefined; asked++) {
        const { written, item } = await updateItem(table, sendingSlotsKey(organizationId), {
          set: { [name]: lease, ttl: Math.ceil((now + ITEM_LIFE_MS) / 1_000) },
          condition: `attribute_not_exists(#${name}) OR #${name}.#until <= :now OR #${name}.#token = :own`,
          values: { now, own: own?.token ?? token },
          returns: "after",
        });
        const slots = Slots.parse(item ?? {});
        const isInUse = (one: string): boolean => (slots[one]?.until ?? 0) > now;
        // The stored token is ours: an earlier attempt of this call took the slot, only its answer was lost.
        if (written || slots[name]?.token === token) {
          return { name, ...lease, isCrowded: Object.keys(slots).filter(isInUse).length >= CROWDED };
        }
        name = allowed.find((one) => !isInUse(one));
      }
      return undefined;
    },

    /** Ends the use of a slot; one write unit if it is crowded. Never throws: after a failure, the lease's end frees the slot. */
    async release(organizationId: string, slot: Slot): Promise<void> {
      const { name, token, isCrowded } = slot;
      if (!isCrowded) {
        kept.push({ organizationId, slot });
        return;
      }
      try {
        await updateItem(table, sendingSlotsKey(organizationId), {
          remove: [name],
          condition: `#${name}.#token = :token`,
          values: { token },
        });
      } catch (error) {
        writeLog("warn", "Giving the slot of a try back failed; its lease ends", { cause: String(error) });
      }
    },
  };
};
