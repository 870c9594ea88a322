/** The state of the circuit breaker in words. Pure. */
import type { OrganizationStats } from "../../api/types.ts";
import { formatMinute } from "../../words/format.ts";

export const BREAKER_PATH = "/console/circuit-breaker";

/** The address at which the view asks whether to stop the integration. */
export const STOP_PATH = `${BREAKER_PATH}?action=force_open`;

type Circuit = Pick<OrganizationStats, "state" | "forced" | "until">;

export type StateName = "closed" | "open" | "half_open" | "forced_open" | "forced_closed";

export const stateOf = ({ state, forced }: Circuit): StateName =>
  forced ? (state === "open" ? "forced_open" : "forced_closed") : state;

export const stateWords = {
  closed: ["good", "Closed"],
  open: ["bad", "Open"],
  half_open: ["warn", "Half-open"],
  forced_open: ["bad", "Held open"],
  forced_closed: ["warn", "Held closed"],
} as const satisfies Record<StateName, readonly [tone: string, word: string]>;

/** When a hold ends: "until 2:30 PM". @param now epoch milliseconds */
export const holdEnd = (until: number | null, now: number): string =>
  until === null ? "until an administrator resets the circuit breaker" : `until ${formatMinute(until, now)}`;

/** What the state means for the integration, in a sentence. @param now epoch milliseconds */
export const stateSentence = (circuit: Circuit, now: number): string => {
  const hold = holdEnd(circuit.until, now);
  const sentences: Record<StateName, string> = {
    closed: "Requests reach the provider.",
    open: "Too many requests failed, so no request is sent to the provider for 30 seconds.",
    half_open: "A few requests may test whether the provider works again. Two successes close the circuit.",
    forced_open: `The integration is stopped: no request reaches the provider ${hold}.`,
    forced_closed: `Requests reach the provider even if it fails, ${hold}.`,
  };
  return sentences[stateOf(circuit)];
};
