/** Holding the circuit breaker: until when, and what will happen. Pure. */
import type { CircuitAction } from "../../api/types.ts";
import { formatMinute } from "../../words/format.ts";
import { holdEnd } from "./state-words.ts";

export type Action = CircuitAction["action"];

export const actionOf = (text: string | undefined): Action | undefined =>
  text === "force_open" || text === "force_close" || text === "reset" ? text : undefined;

const MINUTE = 60_000;

/** When a hold may end. */
export const ends = {
  "15min": "In 15 minutes",
  "1h": "In 1 hour",
  "4h": "In 4 hours",
  morning: "Tomorrow at 8:00",
  custom: "At a time of your choice",
  reset: "When an administrator resets it",
} as const;
export type End = keyof typeof ends;

const minutes: Partial<Record<End, number>> = { "15min": 15, "1h": 60, "4h": 240 };

/** What the user has chosen. `time` is the value of an input of the type `datetime-local`. */
export type Choice = { end: End; time: string; reason: string };

export const firstChoice: Choice = { end: "1h", time: "", reason: "" };

/**
 * When the hold ends, epoch milliseconds, in this browser's time zone; null if only a reset ends it; undefined if the time
 * of the choice is missing or has passed. Whole minutes, so that a request that is sent again is the same request.
 */
export const untilOf = ({ end, time }: Choice, now: number): number | null | undefined => {
  if (end === "reset") return null;
  if (end === "morning") {
    const morning = new Date(now);
    morning.setDate(morning.getDate() + 1);
    return morning.setHours(8, 0, 0, 0);
  }
  if (end === "custom") {
    const at = new Date(time).getTime();
    return at > now ? at : undefined;
  }
  return Math.ceil((now + (minutes[end] ?? 0) * MINUTE) / MINUTE) * MINUTE;
};

export type Explained = { title: string; effects: string[]; confirm: string; done: string };

/** What an action will do. @param until as of `untilOf`; `now`: epoch milliseconds */
export const explain = (action: Action, until: number | null, now: number): Explained => {
  const hold = holdEnd(until, now);
  const after =
    until === null
      ? []
      : [`At ${formatMinute(until, now)}, the hold ends by itself and the circuit breaker works automatically again.`];
  switch (action) {
    case "force_open":
      return {
        title: "Stop the integration?",
        effects: [
          `No request will reach the provider ${hold}.`,
          "Syncs fail at once, also a run that is under way, and no new one can be started.",
          "Webhooks are still received. Those that need a request to the provider wait, and are tried up to ten times.",
          ...after,
        ],
        confirm: "Stop the integration",
        done: `The integration is stopped ${hold}.`,
      };
    case "force_close":
      return {
        title: "Let all requests through?",
        effects: [
          `All requests will be sent to the provider ${hold}, even if each of them fails.`,
          "Failures are not counted, so nothing protects the provider or the syncs from an outage.",
          ...after,
        ],
        confirm: "Let requests through",
        done: `The circuit breaker is held closed ${hold}.`,
      };
    case "reset":
      return {
        title: "Reset the circuit breaker?",
        effects: [
          "A hold ends at once, and requests reach the provider again.",
          "The counts of requests and failures begin at zero.",
          "From then on it works automatically: five failures within a minute open it.",
        ],
        confirm: "Reset",
        done: "The circuit breaker is reset: it is closed and works automatically.",
      };
  }
};
