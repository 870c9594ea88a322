/** How long a circuit was open, by the events of its transitions. Pure. */
import * as z from "zod/mini";
import { RECOVERY_TIMEOUT_MS, type StoredState } from "../circuit-breaker/circuit.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import type { ReviewedCircuit } from "./review-report.ts";

const states = ["closed", "open", "half_open", "forced_open", "forced_closed"] as const satisfies StoredState[];
const State = z.enum(states);

/** A transition: `at` epoch ms. */
export type CircuitMove = { at: number; generation: number; from: StoredState; to: StoredState; cause: string };

const Facts = z.object({ generation: z.number(), from: State, to: State, cause: z.string() });

/** The transition that an event tells of; undefined where it is none. */
export const moveOfEvent = ({ timestamp, metadata }: SecurityEvent): CircuitMove | undefined => {
  const facts = Facts.safeParse(metadata);
  return facts.success ? { at: timestamp, ...facts.data } : undefined;
};

/** An operator's hold that is in force, or ran out and nobody has noticed yet. */
export type Hold = { generation: number; until: number };

type Span = { from: number; to: number };

/** The state from `at` on until `end`. `isCertain`: that nothing happened in between which was not recorded. */
type Stretch = { state: StoredState; at: number; end: number; isCertain: boolean; isEntered: boolean };

const stretchesOf = (moves: readonly CircuitMove[], hold: Hold | undefined, { from, to }: Span): Stretch[] => {
  const sorted = [...moves].sort((a, b) => a.generation - b.generation);
  const [first] = sorted;
  const begun: Stretch = {
    state: first?.from ?? "closed",
    at: 0,
    end: first?.at ?? to,
    isCertain: first === undefined || first.at <= from || first.from === "closed",
    isEntered: false,
  };
  const entered = sorted.map((move, index): Stretch => {
    const next = sorted[index + 1];
    const heldUntil = hold?.generation === move.generation ? hold.until : undefined;
    return {
      state: move.to,
      at: move.at,
      end: next?.at ?? Math.min(to, heldUntil ?? to),
      // Where a hold runs out by itself, what is told is when that was noticed.
      isCertain: next === undefined || (next.generation === move.generation + 1 && next.cause !== "until_passed"),
      isEntered: true,
    };
  });
  return [begun, ...entered];
};

/** An open circuit tries again after its recovery time-out, whether there is a call that it lets through or not. */
const openUntil = ({ state, at, end }: Stretch): number =>
  state === "open" ? Math.min(end, at + RECOVERY_TIMEOUT_MS) : end;

/**
 * How long a circuit was open within a span.
 * @param moves those up to the span's end that are known, and the last one before it, in any order.
 */
export const circuitTime = (
  moves: readonly CircuitMove[],
  hold: Hold | undefined,
  { from, to }: Span,
): ReviewedCircuit => {
  const open = stretchesOf(moves, hold, { from, to }).filter(
    ({ state, end }) => (state === "open" || state === "forced_open") && end > from,
  );
  const within = (stretch: Stretch) => Math.max(0, Math.min(openUntil(stretch), to) - Math.max(stretch.at, from));
  const sum = (stretches: readonly Stretch[]) => stretches.reduce((total, one) => total + within(one), 0);
  return {
    openMs: sum(open),
    forcedOpenMs: sum(open.filter(({ state }) => state === "forced_open")),
    openings: open.filter(({ isEntered, at }) => isEntered && at >= from && at < to).length,
    isExact: open.every(({ isCertain, state }) => isCertain || state === "open"),
  };
};
