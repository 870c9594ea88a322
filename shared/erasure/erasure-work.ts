/**
 * How far an erasure is. It goes in rounds: whoever might write is stopped, what is still under way is waited for, and
 * then place after place is swept. A round that finds nothing which was there before is the proof. Pure.
 */
import * as z from "zod/mini";

/** How far the sweep of a place is. `after`: the key that the next page starts after; `countedTo`: up to which was counted. */
export const Progress = z.object({
  place: z.string(),
  after: z.optional(z.string()),
  countedTo: z.optional(z.string()),
});
export type Progress = z.output<typeof Progress>;

/** Times in epoch ms. */
export const Work = z.object({
  round: z.number(),
  phase: z.enum(["stop", "wait", "sweep", "finish"]),
  /** Since when somebody has tried to stop the writers of this round: whose lease was cut then, nobody knows any more. */
  stoppingAt: z.optional(z.number()),
  /** When nobody writes any more. */
  quietAt: z.optional(z.number()),
  /** A run of the user's was ended; another is to be asked for in its place. */
  replacesRun: z.optional(z.boolean()),
  /** Who had claimed the records (connection-item.ts). */
  claimedBy: z.optional(z.string()),
  /** When the first sweep began: what came into being later is none that was forgotten. */
  sweptSince: z.optional(z.number()),
  progress: z.optional(Progress),
  /** Whether this round found anything that was there before. */
  isDirty: z.boolean(),
  /** From which the user failed to authenticate, the last ones; only until the erasure is completed. */
  addresses: z.array(z.string()),
  completedAt: z.optional(z.number()),
});
export type Work = z.output<typeof Work>;

export const newWork: Work = { round: 1, phase: "stop", isDirty: false, addresses: [] };

/** What was on its way when a round was over has this long to arrive before the next one looks again. */
const SETTLE_MS = 5_000;

/** By then whatever there was at the request has been looked for so many times; what is found is of later. */
const MAX_ROUNDS = 8;

/** The next round. @param now epoch ms. */
export const nextRound = ({ round, claimedBy, sweptSince, addresses }: Work, now: number): Work => ({
  ...{ round: round + 1, phase: "stop", isDirty: false, addresses, quietAt: now + SETTLE_MS },
  ...(claimedBy !== undefined && { claimedBy }),
  ...(sweptSince !== undefined && { sweptSince }),
});

/** What comes after a sweep: one that removed something is followed by one that looks whether all is gone. */
export const afterSweep = (work: Work, now: number): Work => {
  const isProof = work.round > 1 && (!work.isDirty || work.round >= MAX_ROUNDS);
  const { progress: _, ...rest } = work;
  return isProof ? { ...rest, phase: "finish" } : nextRound(work, now);
};
