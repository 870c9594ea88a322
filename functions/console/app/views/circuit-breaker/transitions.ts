/** The history of the circuit breaker in words. Pure. */
import type { CircuitTransition, OrganizationStats, SyncRun } from "../../api/types.ts";
import { formatDuration, type Tone } from "../../words/format.ts";
import { stateOf, stateWords } from "./state-words.ts";

type Cause = NonNullable<CircuitTransition["cause"]>;

const sentences: Readonly<Record<Cause, (by: string) => string>> = {
  failures: () => "It opened: five requests failed within a minute.",
  recovery_timeout: () => "30 seconds had passed: the first test request was let through.",
  probe_failed: () => "It opened again: a test request failed.",
  probes_succeeded: () => "It closed: two test requests succeeded.",
  probes_lost: () => "The test requests brought no result: others were let through.",
  until_passed: () => "It worked automatically again: the time of the hold had passed.",
  reset: (by) => `${by} reset it: closed, and the counts began at zero.`,
  force_open: (by) => `${by} stopped the integration: held open.`,
  force_close: (by) => `${by} held it closed.`,
};

/** @param me the signed-in user */
export const transitionSentence = ({ cause, by, to }: CircuitTransition, me: string): string => {
  const who = by === undefined ? "An administrator" : by === me ? "You" : by;
  // A newer service may name another cause.
  if (cause !== undefined && cause in sentences) return sentences[cause](who);
  return to === undefined ? "Its state changed." : `Its state changed: ${stateWords[to][1].toLowerCase()}.`;
};

export const transitionTone = ({ to }: CircuitTransition): Tone => (to === undefined ? "quiet" : stateWords[to][0]);

type Circuit = Pick<OrganizationStats, "state" | "forced" | "until">;

const isHold = ({ to }: CircuitTransition): boolean => to === "forced_open" || to === "forced_closed";

/**
 * How long a state lasted.
 * @param next the transition that ended it; undefined for the newest one
 * @param now epoch milliseconds
 */
export const lastedSentence = (
  transition: CircuitTransition,
  next: CircuitTransition | undefined,
  circuit: Circuit,
  now: number,
): string => {
  const { at, to } = transition;
  if (next !== undefined) {
    const length = formatDuration(Math.max(0, next.at - at));
    // The end of a hold is written with the first failure after it.
    return next.cause === "until_passed" ? `At most ${length}` : `For ${length}`;
  }
  const length = formatDuration(Math.max(1_000, now - at));
  if (to === undefined || to === stateOf(circuit)) return `For ${length} so far`;
  return isHold(transition) ? "The hold has ended since" : "The state has changed since";
};

/** A time without requests to the provider. `until`: epoch milliseconds; undefined while it lasts. */
export type Opening = { since: number; until: number | undefined };

const isOpening = ({ cause, to }: CircuitTransition): boolean =>
  cause === "failures" || (cause === "force_open" && to === "forced_open");

const isClosing = ({ to }: CircuitTransition): boolean => to === "closed" || to === "forced_closed";

/**
 * The openings, by the id of the transition that began them.
 * @param transitions newest first
 */
export const openingsOf = (transitions: readonly CircuitTransition[]): ReadonlyMap<string, Opening> => {
  const openings = new Map<string, Opening>();
  // Walks from the newest to the oldest: `until` is the end of what comes next.
  let until: number | undefined;
  for (const transition of transitions) {
    if (isClosing(transition)) until = transition.at;
    else if (isOpening(transition)) {
      openings.set(transition.id, { since: transition.at, until });
      // An opening may follow another one: an administrator holds a circuit open that failures had opened.
      until = transition.at;
    }
  }
  return openings;
};

/** The runs that ended in an opening because the circuit was open. */
export const refusedRuns = (runs: readonly SyncRun[], { since, until }: Opening): SyncRun[] =>
  runs.filter(
    ({ error, finishedAt }) =>
      error?.category === "circuit_open" &&
      finishedAt !== undefined &&
      finishedAt >= since &&
      (until === undefined || finishedAt < until),
  );
