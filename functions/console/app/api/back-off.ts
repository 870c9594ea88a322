/** When a read is repeated. */
import type { Problem } from "./problem.ts";

const FIRST_PAUSE_MS = 5_000;
/** Failed reads are repeated later and later, up to this pause. */
const LONGEST_PAUSE_MS = 5 * 60_000;
/** A service that asks for more is asked sooner all the same. */
const LONGEST_REQUESTED_MS = 60 * 60_000;

/**
 * @param failures how many reads in a row have failed
 * @param everyMs the pause after a success; undefined if the read is not repeated then
 * @param problem of the last failure
 * @returns the pause before the next read; undefined if there is none
 */
export const pauseAfter = (
  failures: number,
  everyMs: number | undefined,
  problem?: Pick<Problem, "isTemporary" | "retryAfterS">,
): number | undefined => {
  if (failures === 0 || problem === undefined) return everyMs;
  if (!problem.isTemporary) return undefined;
  const backedOff = Math.min(LONGEST_PAUSE_MS, Math.max(everyMs ?? 0, FIRST_PAUSE_MS) * 2 ** (failures - 1));
  return Math.max(backedOff, Math.min(LONGEST_REQUESTED_MS, (problem.retryAfterS ?? 0) * 1_000));
};
