/** How long a circuit was open, computed from the events of its transitions. Pure. */
import * as z from "zod/mini";
import { RECOVERY_TIMEOUT_MS, type StoredState } from "../circuit-breaker/circuit.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import type { ReviewedCircuit } from "./review-report.ts";

const states = ["closed", "open", "half_open", "forced_open", "forced_closed"] as const satisfies StoredState[];
const State = z.enum(states);

/** A transition: `at` epoch ms. */
export type CircuitTransition = { at: number; generation: number; from: StoredState; to: StoredState; cause: string };

const Transition = z.object({ generation: z.number(), from: State, to: State, cause: z.string() });

/** The transition that an event records; undefined for other events. */
export const transitionOf = ({ timestamp, metadata }: SecurityEvent): CircuitTransition | undefined => {
  const facts = Transition.safeParse(metadata);
  return facts.success ? { at: timestamp, ...facts.data } : undefined;
};

/** An operator's hold that is active, or has expired without a later transition. Epoch ms. */
export type Hold = { generation: number; until: number };

type Span = { from: number; to: number };

/**
 * The circuit was in a state from `at` until `end`. `isCertain`: no unrecorded transition lies in between. `isEntered`: a
 * recorded transition entered the state.
 */
type Interval = { state: StoredState; at: number; end: number; isCertain: boolean; isEntered: boolean };

const intervalsOf = (
  transitions: readonly CircuitTransition[],
  hold: Hold | undefined,
  { from, to }: Span,
): Interval[] => {
  const sorted = [...transitions].sort((a, b) => a.generation - b.generation);
  const [first] = sorted;
  const begun: Interval = {
    state: first?.from ?? "closed",
    at: 0,
    end: first?.at ?? to,
    isCertain: first === undefined || first.at <= from || first.from === "closed",
    isEntered: false,
  };
  const entered = sorted.map((transition, index): Interval => {
    const next = sorted[index + 1];
    const heldUntil = hold?.generation === transition.generation ? hold.until : undefined;
    return {
      state: transition.to,
      at: transition.at,
      end: next?.at ?? Math.min(to, heldUntil ?? to),
      // When a hold expires, the transition is recorded at the next call, not at the expiry.
      isCertain: next === undefined || (next.generation === transition.generation + 1 && next.cause !== "until_passed"),
      isEntered: true,
    };
  });
  return [begun, ...entered];
};

/** An open circuit ends after its recovery time-out, even if no call probes it then. */
const openUntil = ({ state, at, end }: Interval): number =>
  state === "open" ? Math.min(end, at + RECOVERY_TIMEOUT_MS) : end;

/**
 * How long a circuit was open within a span.
 * @param transitions up to the span's end, and the last one before the span, in any order.
 */
export const circuitTime = (
  transitions: readonly CircuitTransition[],
  hold: Hold | undefined,
  { from, to }: Span,
): ReviewedCircuit => {
  const open = intervalsOf(transitions, hold, { from, to }).filter(
    ({ state, end }) => (state === "open" || state === "forced_open") && end > from,
  );
  const within = (interval: Interval) => Math.max(0, Math.min(openUntil(interval), to) - Math.max(interval.at, from));
  const sum = (intervals: readonly Interval[]) => intervals.reduce((total, one) => total + within(one), 0);
  return {
    openMs: sum(open),
    forcedOpenMs: sum(open.filter(({ state }) => state === "forced_open")),
    openings: open.filter(({ isEntered, at }) => isEntered && at >= from && at < to).length,
    isExact: open.every(({ isCertain, state }) => isCertain || state === "open"),
  };
};
