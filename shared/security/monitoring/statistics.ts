/** The statistics of a selection of security events, as GET …/security returns them. docs/security-events.md, "Statistics". */
import * as z from "zod/mini";
import { count, epochMs } from "../../json/number-fields.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { DAY_MS, HOUR_MS } from "../../terms/hours.ts";
import { isAtLeast } from "../../terms/risk-levels.ts";
import { type CountedIntervals, type Counters, mergeCounters } from "../statistics/counters.ts";

export const intervalNames = ["hour", "day"] as const;
export type IntervalName = (typeof intervalNames)[number];

const lengths = { hour: HOUR_MS, day: DAY_MS } as const satisfies Record<IntervalName, number>;

/** The longest periods: a week by hour, a quarter by day. */
const MAX_HOURS = 168;
const MAX_DAYS = 92;
const longest = { hour: MAX_HOURS * HOUR_MS, day: MAX_DAYS * DAY_MS } as const satisfies Record<IntervalName, number>;

/** A period: from a time (inclusive) to another (exclusive, now if undefined), epoch ms. */
type Period = { since: number; until?: number | undefined };

const avgResponseTime = z.number().register(z.globalRegistry, {
  description: "The mean `metadata.durationMs` in ms of the events that have one; 0 if no event has.",
  override: { type: "number", minimum: 0 },
});

const highRiskEvents = count("Events of the selection whose risk level is HIGH or CRITICAL.");

const StatisticsInterval = z
  .object({
    from: epochMs("the start of the UTC hour or day; of the first interval, `since` if that is later."),
    totalEvents: count("Events of the selection in this interval."),
    failures: count("Those of them without success."),
    highRiskEvents,
    avgResponseTime,
  })
  .register(z.globalRegistry, {
    id: "StatisticsInterval",
    description: "Counts of one hour or day. It ends where the next one begins; the last one at `until`, or now.",
  });
type StatisticsInterval = z.output<typeof StatisticsInterval>;

export const SecurityStatistics = z
  .object({
    totalEvents: count("Events of the selection."),
    highRiskEvents,
    failureRate: z.number().register(z.globalRegistry, {
      description: "The share of events without success, from 0 to 1; 0 if the selection is empty.",
      override: { type: "number", minimum: 0, maximum: 1 },
    }),
    avgResponseTime,
    intervals: z.optional(
      z.array(StatisticsInterval).register(z.globalRegistry, {
        description:
          "Only with `interval`: every hour or day of the period in order of time, also those without events.",
      }),
    ),
  })
  .register(z.globalRegistry, {
    id: "SecurityStatistics",
    description: "Counts of a whole selection of security events, not only of the page.",
  });
export type SecurityStatistics = z.output<typeof SecurityStatistics>;

const countsOf = (counters: Counters) => {
  const sum = (part: (counter: Counters[number]) => number) =>
    counters.reduce((total, counter) => total + part(counter), 0);
  const timed = sum((counter) => counter.timed);
  return {
    totalEvents: sum(({ events }) => events),
    failures: sum(({ failures }) => failures),
    highRiskEvents: sum(({ riskLevel, events }) => (isAtLeast(riskLevel, "HIGH") ? events : 0)),
    avgResponseTime: timed === 0 ? 0 : sum(({ totalMicroseconds }) => totalMicroseconds) / 1_000 / timed,
  };
};

/** The statistics of counted events. */
export const statisticsOf = (counted: CountedIntervals): SecurityStatistics => {
  const { failures, ...counts } = countsOf(mergeCounters([...counted.values()]));
  return { ...counts, failureRate: counts.totalEvents === 0 ? 0 : failures / counts.totalEvents };
};

/**
 * The length of an interval in ms.
 * @throws DomainError `invalid_field` if the period has too many intervals.
 */
export const requireIntervals = (interval: IntervalName, { since, until }: Period, now: number): number => {
  if ((until ?? now) - since <= longest[interval]) return lengths[interval];
  throw new DomainError(
    "invalid_field",
    `interval: expected a period of at most ${MAX_HOURS} hours with hour, and of at most ${MAX_DAYS} days with day: ` +
      "a later since, or an earlier until",
  );
};

/** Every interval of the period, in order. An event that is ahead of our clock adds its interval. */
export const intervalsOf = (
  counted: CountedIntervals,
  length: number,
  { since, until }: Period,
  now: number,
): StatisticsInterval[] => {
  const starts = new Set(counted.keys());
  const end = until ?? now + 1;
  for (let at = since; at < end; at = Math.floor(at / length) * length + length) {
    starts.add(Math.floor(at / length) * length);
  }
  return [...starts]
    .sort((a, b) => a - b)
    .map((start) => ({ from: Math.max(start, since), ...countsOf(counted.get(start) ?? []) }));
};
