/** What a circuit is at a time, without writing: time alone ends forced states and the open state. */
import { type Circuit, HALF_OPEN_MAX_CALLS, LOST_ROUND_MS } from "./circuit.ts";

/** `retryAt`: when asking again makes sense, in ms; none while an operator holds the circuit open. */
export type EffectiveState =
  /** `held`: an operator holds it closed; failures do not count. */
  | { state: "closed"; held: boolean }
  | { state: "open"; held: boolean; retryAt?: number }
  /** `retryAt` is there when all permits of the round are out. */
  | { state: "half_open"; held: false; retryAt?: number };

/** Whether an operator's hold had an end, and it is over: the circuit then reads as closed, with an empty window. */
export const isHoldOver = (circuit: Circuit, now: number): boolean =>
  (circuit.state === "forced_open" || circuit.state === "forced_closed") &&
  circuit.until !== undefined &&
  circuit.until <= now;

/** When the round may be given up: all its permits are out, and no verdict came for so long after the last lease. */
export const roundLostAt = ({ leasedUntil }: { leasedUntil: number }): number => leasedUntil + LOST_ROUND_MS;

/** @param now epoch milliseconds of the one who asks. */
export const effectiveState = (circuit: Circuit, now: number): EffectiveState => {
  if (isHoldOver(circuit, now)) return { state: "closed", held: false };
  switch (circuit.state) {
    case "closed":
      return { state: "closed", held: false };
    case "forced_closed":
      return { state: "closed", held: true };
    case "forced_open":
      return { state: "open", held: true };
    case "open":
      return now < circuit.until
        ? { state: "open", held: false, retryAt: circuit.until }
        : { state: "half_open", held: false };
    case "half_open": {
      const isFree = Object.keys(circuit.permits).length < HALF_OPEN_MAX_CALLS || roundLostAt(circuit) <= now;
      if (isFree) return { state: "half_open", held: false };
      const retryAt = now < circuit.leasedUntil ? circuit.leasedUntil : roundLostAt(circuit);
      return { state: "half_open", held: false, retryAt };
    }
  }
};
