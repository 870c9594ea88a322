import { describe, expect, it } from "@jest/globals";
import type { CircuitTransition, SyncRun } from "../../../functions/console/app/api/types.ts";
import { actionOf, explain, firstChoice, untilOf } from "../../../functions/console/app/views/circuit-breaker/hold.ts";
import {
  lastedSentence,
  openingsOf,
  refusedRuns,
  transitionSentence,
} from "../../../functions/console/app/views/circuit-breaker/transitions.ts";
import { causes } from "../../../shared/circuit-breaker/circuit.ts";

const NOW = Date.UTC(2026, 10, 22, 12, 0, 30);
const MINUTE = 60_000;
const closed = { state: "closed", forced: false, until: null } as const;

describe("the end of a hold", () => {
  it("is in whole minutes, so that a request that is sent again is the same", () => {
    const until = untilOf({ ...firstChoice, end: "15min" }, NOW);
    expect(until).toBe(NOW + 15 * MINUTE + 30_000);
    expect(untilOf({ ...firstChoice, end: "15min" }, NOW + 20_000)).toBe(until);
  });

  it("is at eight o'clock of the next day in the zone of the browser", () => {
    const morning = new Date(untilOf({ ...firstChoice, end: "morning" }, NOW) ?? 0);
    expect([morning.getHours(), morning.getMinutes()]).toEqual([8, 0]);
    expect(new Date(morning.getTime() - 24 * 60 * MINUTE).toDateString()).toBe(new Date(NOW).toDateString());
  });

  it("must be a time in the future", () => {
    const custom = (time: string) => untilOf({ ...firstChoice, end: "custom", time }, NOW);
    expect([custom(""), custom("2026-11-20T08:00"), custom("nonsense")]).toEqual([undefined, undefined, undefined]);
    expect(custom("2026-12-24T08:00")).toBe(new Date(2026, 11, 24, 8, 0).getTime());
    expect(untilOf({ ...firstChoice, end: "reset" }, NOW)).toBeNull();
  });

  it("is part of what will happen", () => {
    const [first, ...others] = explain("force_open", NOW + 15 * MINUTE, NOW).effects;
    expect(first).toMatch(/^No request will reach the provider until .*\d:\d\d/);
    expect(others.at(-1)).toMatch(/the hold ends by itself/);
    expect(explain("force_open", null, NOW).effects[0]).toBe(
      "No request will reach the provider until an administrator resets the circuit breaker.",
    );
  });

  it("belongs to an action of the address", () => {
    expect(["force_open", "force_close", "reset", "close", undefined].map(actionOf)).toEqual([
      "force_open",
      "force_close",
      "reset",
      undefined,
      undefined,
    ]);
  });
});

const transition = (at: number, to: CircuitTransition["to"], cause: CircuitTransition["cause"]): CircuitTransition => ({
  id: `event-${at}`,
  at,
  ...(to !== undefined && { to }),
  ...(cause !== undefined && { cause }),
});

/** Newest first. */
const history = [
  transition(900, "closed", "reset"),
  transition(700, "forced_open", "force_open"),
  transition(600, "open", "failures"),
  transition(400, "closed", "probes_succeeded"),
  transition(300, "half_open", "recovery_timeout"),
  transition(200, "open", "probe_failed"),
  transition(100, "open", "failures"),
];

describe("the history of the circuit breaker", () => {
  it("has a sentence for each cause, and for an entry without one", () => {
    for (const cause of causes) expect(transitionSentence(transition(1, "open", cause), "ada")).toMatch(/^[A-Z3].*\.$/);
    expect(transitionSentence({ ...transition(1, "forced_open", "force_open"), by: "ada" }, "ada")).toMatch(/^You /);
    expect(transitionSentence({ ...transition(1, "forced_open", "force_open"), by: "eve" }, "ada")).toMatch(/^eve /);
    expect(transitionSentence(transition(1, "closed", "reset"), "ada")).toMatch(/^An administrator /);
    expect(transitionSentence(transition(1, "half_open", undefined), "ada")).toBe("Its state changed: half-open.");
    expect(transitionSentence(transition(1, undefined, undefined), "ada")).toBe("Its state changed.");
  });

  it("finds when an opening ended, even if an administrator took it over", () => {
    expect([...openingsOf(history)]).toEqual([
      ["event-700", { since: 700, until: 900 }],
      ["event-600", { since: 600, until: 700 }],
      ["event-100", { since: 100, until: 400 }],
    ]);
    expect(openingsOf(history.slice(1)).get("event-700")).toEqual({ since: 700, until: undefined });
  });

  it("gives each opening the runs that it refused", () => {
    const run = (id: string, finishedAt: number | undefined, category: string) =>
      ({ id, startedAt: 0, finishedAt, error: { category, message: "" } }) as SyncRun;
    const runs = [run("a", 100, "circuit_open"), run("b", 399, "circuit_open"), run("c", 400, "circuit_open")];
    const others = [run("d", 200, "provider"), run("e", undefined, "circuit_open")];
    const found = refusedRuns([...runs, ...others], { since: 100, until: 400 });
    expect(found.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(refusedRuns(runs, { since: 300, until: undefined }).map(({ id }) => id)).toEqual(["b", "c"]);
  });

  it("says how long each state lasted", () => {
    const hold = transition(NOW - MINUTE, "forced_open", "force_open");
    const reset = transition(NOW, "closed", "reset");
    expect(lastedSentence(hold, reset, closed, NOW)).toBe("For 1 min");
    expect(lastedSentence(hold, { ...reset, cause: "until_passed" }, closed, NOW)).toBe("At most 1 min");
    expect(lastedSentence(hold, undefined, { ...closed, state: "open", forced: true }, NOW)).toBe("For 1 min so far");
    expect(lastedSentence(hold, undefined, closed, NOW)).toBe("The hold has ended since");
    const opened = transition(NOW - MINUTE, "open", "failures");
    expect(lastedSentence(opened, undefined, { ...closed, state: "half_open" }, NOW)).toBe(
      "The state has changed since",
    );
  });
});
