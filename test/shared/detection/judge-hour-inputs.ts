import { type Fact, factOf } from "../../../shared/detection/evidence/fact.ts";
import type { RunFact } from "../../../shared/detection/evidence/syncing.ts";
import type { HourInput } from "../../../shared/detection/rules/rules.ts";
import { createEvents, HOUR, MINUTE } from "../../detection/events.ts";
import { fc } from "../../support/fixed-seed.ts";

export const START = Date.UTC(2026, 10, 21, 10);

const permissions = ["security:read", "sync:run", "records:read", "records:read:invoices", "connection:manage"];

/** Facts in a number of hours from START, of few users and addresses, so that some reach thresholds. */
export const arbitraryFacts = (hours: number): fc.Arbitrary<Fact[]> => {
  const events = createEvents();
  const who = fc.record({
    user: fc.constantFrom("ada", "ada", "bob", "eve"),
    address: fc.constantFrom("192.0.2.1", "192.0.2.1", "192.0.2.2", "198.51.100.7"),
  });
  // Whole and half minutes, so that facts lie exactly on the edges of windows.
  const time = fc.integer({ min: 0, max: hours * 120 - 1 }).map((half) => START + (half * MINUTE) / 2);
  const fact = fc
    .tuple(time, who, fc.constantFrom(...permissions), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 9 }))
    .map(([at, one, permission, few, kind]) => {
      const made = [
        () => events.tokenFailure(at, one),
        () => events.tokenFailure(at, one),
        () => events.tokenFailure(at, { address: one.address }, { failures: few * 3, users: few }),
        () => events.call(at, one),
        () => events.denial(at, one, permission),
        () => events.credentialsRefused(at),
        () => events.operation(at, { attempts: 1, rateLimited: 1 }),
        () => events.operation(at, { attempts: 1, pacedMs: 6_000 }),
        () => events.storeFailure(at),
        () => events.blocked(at, one),
      ][kind];
      return factOf((made ?? (() => events.connected(at)))());
    });
  // Bursts, because scattered facts seldom reach a threshold.
  const burst = fc
    .tuple(fact, fc.array(fc.integer({ min: 0, max: 24 }), { maxLength: 8 }))
    .map(([one, halves]) => [
      one,
      ...halves.map((half, index) => ({ ...one, id: `${one.id}-${index}`, at: one.at + (half * MINUTE) / 2 })),
    ]);
  return fc.array(burst, { maxLength: 8 }).map((bursts) => bursts.flat().filter(({ at }) => at < START + hours * HOUR));
};

/** Runs, mostly manual ones, sometimes many. */
export const arbitraryRuns = (hours: number): fc.Arbitrary<RunFact[]> =>
  fc.uniqueArray(fc.integer({ min: 0, max: hours * 60 - 1 }), { maxLength: 60 }).map((minutes) =>
    minutes.map((minute) => ({
      id: `run-${minute}`,
      trigger: minute % 7 === 0 ? "scheduled" : "manual",
      status: minute % 20 === 0 ? ("succeeded" as const) : ("failed" as const),
      startedAt: START + minute * MINUTE,
      finishedAt: START + minute * MINUTE + 1_000,
    })),
  );

/** The input of an organization without baselines, runs and connection. */
export const inputOf = (facts: readonly Fact[], fields: Partial<HourInput> = {}): HourInput => {
  const hour = fields.hour ?? { start: START, end: START + HOUR };
  return {
    hour,
    facts: facts.filter(({ at }) => at >= hour.start && at < hour.end),
    carried: [],
    baseline: { calls: 0, hours: 0, dailyPeaks: [] },
    baselineOfUser: () => ({ calls: 0, hours: 0, dailyPeaks: [] }),
    isKnown: () => false,
    runs: [],
    runBaseline: { calls: 0, hours: 0, dailyPeaks: [] },
    connection: undefined,
    ...fields,
  };
};
