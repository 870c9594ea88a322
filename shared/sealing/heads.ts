/**
 * The heads of all organizations in the memory of the worker, which is the only writer. A new organization gets a random
 * slot that is free, for ever, and 16 random bytes. docs/evidence.md, "How hours are sealed".
 */
import { EMPTY_TREE, grow, leafHash, rootOfFrontier } from "../evidence/merkle-tree.ts";
import { slotsFor } from "../evidence/organization-tree.ts";
import type { Head } from "./evidence-item.ts";

/** @param bytes how many. */
export type Random = (bytes: number) => Uint8Array;

const LOG_BYTES = 16;
const SLOT_BYTES = 6;

/** The slots of a step with these heads; at least as many as in the step before. */
export const slotsOf = (heads: ReadonlyMap<string, Head>, slots: number): number => {
  const highest = Math.max(-1, ...[...heads.values()].map(({ slot }) => slot));
  let enough = slotsFor(heads.size, slots);
  while (enough <= highest) enough *= 2;
  return enough;
};

export type Heads = ReturnType<typeof createHeads>;

/** @param stored by scope. @param slots of the step before. */
export const createHeads = (stored: ReadonlyMap<string, Head>, slots: number, random: Random) => {
  const heads = new Map(stored);
  const used = new Set([...stored.values()].map(({ slot }) => slot));
  let isKnown = true;

  const takeSlot = (): number => {
    const count = slotsFor(used.size + 1, slots);
    for (;;) {
      const number = random(SLOT_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
      // The count is a power of two, so every slot is equally likely.
      const slot = number % count;
      if (used.has(slot)) continue;
      used.add(slot);
      return slot;
    }
  };

  return {
    all: (): ReadonlyMap<string, Head> => heads,
    get: (scope: string): Head | undefined => heads.get(scope),
    store: (scope: string, head: Head): void => void heads.set(scope, head),
    /** A head may have been stored, or may still be, although the call failed. */
    lose: (): void => {
      isKnown = false;
    },
    /** Whether these are the stored heads. */
    isKnown: (): boolean => isKnown,

    /** The head after a further record. It counts once it is stored. @param record the record's entry. */
    next(scope: string, record: string, step: number): Head {
      const head = heads.get(scope);
      const { size, subtrees } = grow(head ?? EMPTY_TREE, [leafHash(record)]);
      const identity = head ?? { slot: takeSlot(), log: random(LOG_BYTES) };
      const before = head?.step === step ? head.before : head && { size: head.size, root: rootOfFrontier(head) };
      return { slot: identity.slot, log: identity.log, size, subtrees: [...subtrees], step, before };
    },
  };
};
