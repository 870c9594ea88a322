/**
 * How an erasure proceeds: in passes. Each pass stops the writers, waits until their work has ended, and then sweeps all
 * locations. A pass that finds no older data proves that the erasure is complete. docs/erasure.md, "Passes".
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import type { DataLocation, LocationPage } from "../work/location.ts";
import type { Removed } from "./erasure.ts";

/** The position of a sweep within the location named `place`. */
const SweepPosition = z.object({
  place: z.string(),
  /** The key after which the next page starts. */
  after: z.optional(z.string()),
  /** The last key that was counted. */
  countedTo: z.optional(z.string()),
});
type SweepPosition = z.output<typeof SweepPosition>;

/** The progress of an erasure, as it is stored. Times in epoch ms. */
export const Work = z.object({
  /** The number of the pass, from 1. */
  round: z.number(),
  phase: z.enum(["stop", "wait", "sweep", "finish"]),
  /** When this pass began to stop the writers. If a crash interrupted that, the lease of a cancelled run is unknown. */
  stoppingAt: z.optional(z.number()),
  /** When the stopped writers have ended. */
  quietAt: z.optional(z.number()),
  /** The user's run was cancelled; another one must replace it. */
  replacesRun: z.optional(z.boolean()),
  /** The connection that had claimed the records (connection-item.ts). */
  claimedBy: z.optional(z.string()),
  /** When the first sweep began; younger data does not demand another pass. */
  sweptSince: z.optional(z.number()),
  progress: z.optional(SweepPosition),
  /** Whether this pass has found data from before `sweptSince`. */
  isDirty: z.boolean(),
  /** Addresses of the user's failed authentications, the latest; deleted when the erasure completes. */
  addresses: z.array(z.string()),
  completedAt: z.optional(z.number()),
});
export type Work = z.output<typeof Work>;

export const newWork: Work = { round: 1, phase: "stop", isDirty: false, addresses: [] };

/** Writes under way at the end of a pass have this time to arrive before the next pass. */
const SETTLE_MS = 5_000;

/** After this number of passes the erasure completes in any case: data in the last pass is younger than the request. */
const MAX_PASSES = 8;

/** @param now epoch ms. */
export const nextPass = ({ round, claimedBy, sweptSince, addresses }: Work, now: number): Work => ({
  round: round + 1,
  phase: "stop",
  isDirty: false,
  addresses,
  quietAt: now + SETTLE_MS,
  ...definedFields({ claimedBy, sweptSince }),
});

/** After a sweep that removed older data, another pass must check that everything is gone. */
export const afterSweep = (work: Work, now: number): Work => {
  const isProof = work.round > 1 && (!work.isDirty || work.round >= MAX_PASSES);
  const { progress: _, ...rest } = work;
  return isProof ? { ...rest, phase: "finish" } : nextPass(work, now);
};

/** The content of a checkpoint. */
export type Checkpoint = { work: Work; removed: Removed };

type SweepDependencies = {
  /** Stores a checkpoint, and renews the lease. */
  save(checkpoint: Checkpoint): Promise<void>;
  /** Whether the rest must be left to another invocation. */
  isTimeShort(): boolean;
  /** Addresses of the user's failed authentications; the locations fill the set. */
  addresses: ReadonlySet<string>;
};

/** The position is stored after this number of pages without keys. */
const PAGES_BETWEEN_SAVES = 10;

const MAX_ADDRESSES = 100;

const isAfter = (key: string, other: string | undefined): boolean =>
  other === undefined || Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0;

const isOlderThanSweep = ({ createdAt }: DataLocation, key: string, { sweptSince = 0 }: Work): boolean => {
  const time = createdAt?.(key);
  return time === undefined || time < sweptSince;
};

/** The checkpoint after counting a page's keys. Keys that an earlier attempt counted are not counted again. */
const countPage = (
  { work, removed }: Checkpoint,
  location: DataLocation,
  { keys }: LocationPage,
  position: SweepPosition,
): Checkpoint => {
  const fresh = keys.filter((key) => isAfter(key, position.countedTo));
  const countedTo = fresh.at(-1) ?? position.countedTo;
  return {
    removed: { ...removed, [location.counter]: removed[location.counter] + fresh.length },
    work: {
      ...work,
      isDirty: work.isDirty || fresh.some((key) => isOlderThanSweep(location, key, work)),
      progress: { ...position, ...definedFields({ countedTo }) },
    },
  };
};

/**
 * Sweeps all locations from the checkpoint's position on. A page's keys are counted, and the count is stored, before they
 * are erased: a crash neither loses a count nor counts twice.
 * @returns the last state, and whether all locations were swept to their end.
 */
export const sweep = async (
  locations: readonly DataLocation[],
  start: Checkpoint,
  { save, isTimeShort, addresses }: SweepDependencies,
): Promise<{ state: Checkpoint; isDone: boolean }> => {
  let state = start;
  const latestAddresses = () => [...addresses].slice(-MAX_ADDRESSES);
  const store = async (): Promise<void> => {
    state = { ...state, work: { ...state.work, addresses: latestAddresses() } };
    await save(state);
  };
  const begun = locations.findIndex(({ name }) => name === start.work.progress?.place);
  for (const location of locations.slice(Math.max(0, begun))) {
    let position = state.work.progress?.place === location.name ? state.work.progress : { place: location.name };
    let emptyPages = 0;
    for (;;) {
      state = { ...state, work: { ...state.work, progress: position } };
      if (isTimeShort()) {
        await store();
        return { state, isDone: false };
      }
      const page = await location.read(position.after);
      if (page.keys.length > 0) {
        state = countPage(state, location, page, position);
        position = state.work.progress ?? position;
        await store();
        await page.erase();
      } else if (++emptyPages % PAGES_BETWEEN_SAVES === 0) await store();
      if (page.next === undefined) break;
      position = { ...position, after: page.next };
    }
  }
  const { progress: _, ...work } = state.work;
  return { state: { ...state, work: { ...work, addresses: latestAddresses() } }, isDone: true };
};
