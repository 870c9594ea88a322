/**
 * The tree over the heads of all organizations in a step. Each organization has a random slot for ever; the free slots are
 * filled with hashes that look like those of heads. So a path from a head to the root shows neither which organizations
 * there are nor how many, but for the power of two above. Pure. docs/evidence.md, "Organizations".
 */
import { createHmac } from "node:crypto";
import { type Hash, leafHash } from "./merkle-tree.ts";
import { entryOf, type LogHead } from "./sealed-log.ts";

const MIN_SLOTS = 1_024;

/** The number of slots doubles when three quarters are used. */
export const slotsFor = (organizations: number, slots = MIN_SLOTS): number =>
  organizations * 4 > slots * 3 ? slotsFor(organizations, slots * 2) : slots;

/**
 * The hash of a free slot in a step.
 * @param secret of the deployment: without it, a free slot cannot be told from a used one.
 */
const freeSlot = (secret: Uint8Array, hour: number, slot: number): Hash =>
  leafHash(createHmac("sha256", secret).update(`${hour} ${slot}`).digest());

/** @param heads by slot, all of one step. */
export const hashesOfSlots = (
  heads: ReadonlyMap<number, LogHead>,
  { hour, slots, secret }: { hour: number; slots: number; secret: Uint8Array },
): Hash[] =>
  Array.from({ length: slots }, (_, slot) => {
    const head = heads.get(slot);
    return head === undefined ? freeSlot(secret, hour, slot) : leafHash(entryOf(head));
  });
