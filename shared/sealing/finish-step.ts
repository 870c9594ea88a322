/**
 * The end of a step: the leaves of its hours, and one checkpoint over the log. Everything follows from what is stored, so a
 * step that crashed is repeated with the same bytes. docs/evidence.md, "How hours are sealed".
 */
import { grow, type Hash, leafHash, rootOf, rootOfFrontier } from "../evidence/merkle-tree.ts";
import { hashesOfSlots } from "../evidence/organization-tree.ts";
import { encodeHash, entryOf, type LogHead } from "../evidence/sealed-log.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { type Head, headIn, hourOfLeaf, type LogState } from "./evidence-item.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import { slotsOf } from "./heads.ts";

export type FinishStepDependencies = {
  evidence: Pick<EvidenceStore, "putState" | "putLeaf" | "putSlots" | "deleteSlotsBefore">;
  signer: {
    /** The signed checkpoint; the same for the same log. @param root of the first `size` leaves. */
    sign(origin: string, size: number, root: Hash): Promise<string>;
  };
  checkpoints: {
    /** Stores a checkpoint, again the same. */
    put(size: number, text: string): Promise<void>;
  };
};

/** The steps whose slots are kept: two days. */
const KEPT_SLOTS = 48;
const LEAVES_AT_ONCE = 16;

/** The heads of a step by their slots. An organization without a record in it has a free slot. */
const headsIn = (heads: ReadonlyMap<string, Head>, index: number, hour: number): Map<number, LogHead> =>
  new Map(
    [...heads.values()].flatMap((head): [number, LogHead][] => {
      const own = headIn(head, index, hour);
      return own === undefined ? [] : [[head.slot, own]];
    }),
  );

/** Another worker has the log: this one must stop. */
export const requireState = (state: LogState | undefined): LogState => {
  if (state === undefined) throw new Error("Another worker has changed the state of the log.");
  return state;
};

/**
 * Ends the step that is planned: it takes no further record, its leaves are stored, the checkpoint is signed and stored,
 * and the log has its new size.
 * @throws DomainError `store_unavailable`; Error if another worker has the log. The step must be repeated.
 */
export const finishStep = async (
  { evidence, signer, checkpoints }: FinishStepDependencies,
  planned: LogState,
  { to, heads }: { to: number; heads: ReadonlyMap<string, Head> },
): Promise<LogState> => {
  const isFull = planned.plan?.isFull === true;
  const state = isFull
    ? planned
    : requireState(await evidence.putState({ ...planned, plan: { to, isFull: true } }, planned));
  const { start, origin, secret } = state;
  const slots = slotsOf(heads, state.slots);
  const hashesOf = (index: number) => {
    const hour = hourOfLeaf({ start }, index);
    // The hours that were missed have the tree as it was before this step.
    return hashesOfSlots(headsIn(heads, index, hour), { hour, slots: index === to ? slots : state.slots, secret });
  };
  const entryAt = (index: number, hashes = hashesOf(index)): string =>
    entryOf({ hour: hourOfLeaf({ start }, index), root: encodeHash(rootOf(hashes)) });

  let log: Pick<LogState, "size" | "subtrees"> = state;
  const indexes = Array.from({ length: to - state.size }, (_, position) => state.size + position);
  const newest = hashesOf(to);
  const append = async (entries: readonly string[]): Promise<void> => {
    await Promise.all(entries.map((entry, position) => evidence.putLeaf(log.size + position, entry)));
    const { size, subtrees } = grow(
      log,
      entries.map((entry) => leafHash(entry)),
    );
    log = { size, subtrees: [...subtrees] };
  };
  for (const missed of chunksOf(indexes, LEAVES_AT_ONCE)) await append(missed.map((index) => entryAt(index)));
  await append([entryAt(to, newest)]);
  const { size, subtrees } = log;
  await evidence.putSlots(size, newest);
  await checkpoints.put(size, await signer.sign(origin, size, rootOfFrontier(log)));
  const next = await evidence.putState({ start, origin, secret, slots, size, subtrees }, state);
  await evidence.deleteSlotsBefore(size - KEPT_SLOTS);
  return requireState(next);
};
