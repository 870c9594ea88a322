/**
 * The sums of a day of an organization: completeness is shown by equal numbers of events that are recorded, counted in the
 * statistics, sealed, archived, and fed to a SIEM. Start here. sum-organization.ts stores the sums of each day at night
 * (coverage-store.ts), and coverage.ts answers with them. Pure. docs/evidence.md, "Coverage".
 */
import { DAY_MS, HOUR_MS, startOfDay } from "../terms/hours.ts";

/** An hour is compared once it is over for this long: by then it is closed, sealed, archived and fed. */
export const SETTLED_AFTER_MS = 3 * HOUR_MS;

/** The last day all of whose hours are compared, epoch ms. */
export const lastSummedDay = (now: number): number => startOfDay(now - SETTLED_AFTER_MS) - DAY_MS;

/** `archived`: undefined without an archive. `fed`: undefined if the feed was off in the hour. */
export type HourNumbers = {
  recorded: number;
  counted: number;
  sealed: number;
  archived?: number | undefined;
  fed?: number | undefined;
};

/** Why detection did not judge an hour: nothing was to be judged; it is still due; or it has events and is not due. */
export const unjudgedReasons = ["no_events", "due", "not_judged"] as const;
export type UnjudgedReason = (typeof unjudgedReasons)[number];

/**
 * What is read of a day. `hours`: its hours that the sealed log has, by their start; `dayCounted`: what the statistics count of
 * the day, undefined if the log does not have all of its hours. `events`: recorded in each hour with any, those before the
 * log's start included. `judged`: the versions of the rules, by hour; `due`: hours that wait to be judged. Times are epoch ms.
 */
export type DayReading = {
  day: number;
  hours: ReadonlyMap<number, HourNumbers>;
  dayCounted?: number | undefined;
  events: ReadonlyMap<number, number>;
  judged: ReadonlyMap<number, Readonly<Record<string, number>>>;
  due: readonly number[];
};

/** `notJudged`: hours of the day, from 0 to 23. `rules`: the versions that judged. `problem`: the first inequality. */
export type DaySums = {
  recorded: number;
  counted: number;
  sealed: number;
  archived: number;
  fed?: number | undefined;
  notJudged: Partial<Record<UnjudgedReason, number[]>>;
  rules: Record<string, number[]>;
  problem?: string | undefined;
};

export const isWhole = ({ problem }: Pick<DaySums, "problem">): boolean => problem === undefined;

const HOURS_OF_DAY = Array.from({ length: 24 }, (_, hour) => hour);

const isEqual = ({ recorded, ...others }: HourNumbers): boolean =>
  Object.values(others).every((number) => number === undefined || number === recorded);

const inWords = ({ recorded, counted, sealed, archived, fed }: HourNumbers): string => {
  const others = [
    `${sealed} sealed`,
    ...(archived === undefined ? [] : [`${archived} archived`]),
    ...(fed === undefined ? [] : [`${fed} in the feed`]),
  ];
  return `${recorded} recorded, ${counted} counted, ${others.join(", ")}`;
};

const problemOf = ({ hours, dayCounted }: DayReading, counted: number): string | undefined => {
  const unequal = [...hours].filter(([, numbers]) => !isEqual(numbers)).sort(([one], [other]) => one - other);
  const [first] = unequal;
  if (first !== undefined) {
    const [hour, numbers] = first;
    const more = unequal.length === 1 ? "" : ` ${unequal.length - 1} more hours are unequal.`;
    return `Events of the hour ${new Date(hour).toISOString().slice(0, 16)}Z: ${inWords(numbers)}.${more}`;
  }
  return dayCounted === undefined || dayCounted === counted
    ? undefined
    : `The statistics count ${dayCounted} events in the day, and ${counted} in its hours.`;
};

const notJudgedOf = ({ day, events, judged, due }: DayReading): DaySums["notJudged"] => {
  const reasonOf = (hour: number): UnjudgedReason => {
    if (due.includes(hour)) return "due";
    return (events.get(hour) ?? 0) > 0 ? "not_judged" : "no_events";
  };
  const open = HOURS_OF_DAY.filter((hour) => !judged.has(day + hour * HOUR_MS));
  return Object.fromEntries(Map.groupBy(open, (hour) => reasonOf(day + hour * HOUR_MS)));
};

const versionsOf = (
  lists: Iterable<Readonly<Record<string, number | readonly number[]>>>,
): Record<string, number[]> => {
  const versions = new Map<string, Set<number>>();
  for (const list of lists)
    for (const [rule, some] of Object.entries(list))
      versions.set(rule, new Set([...(versions.get(rule) ?? []), ...[some].flat()]));
  return Object.fromEntries(
    [...versions]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([rule, all]) => [rule, [...all].sort((a, b) => a - b)]),
  );
};

/** The rules of several days, each with all its versions, in order of their names. */
export const rulesOf = (days: readonly Pick<DaySums, "rules">[]): Record<string, number[]> =>
  versionsOf(days.map(({ rules }) => rules));

export const sumDay = (reading: DayReading): DaySums => {
  const numbers = [...reading.hours.values()];
  const sum = (name: keyof HourNumbers): number => numbers.reduce((total, hour) => total + (hour[name] ?? 0), 0);
  const counted = reading.dayCounted ?? sum("counted");
  const isFed = numbers.some(({ fed }) => fed !== undefined);
  return {
    recorded: sum("recorded"),
    counted,
    sealed: sum("sealed"),
    archived: sum("archived"),
    ...(isFed && { fed: sum("fed") }),
    notJudged: notJudgedOf(reading),
    rules: versionsOf(reading.judged.values()),
    problem: problemOf(reading, sum("counted")),
  };
};

/** Sums that are made again: an hour that was judged stays judged, though an erasure has removed what said so. */
export const withEarlierJudging = (sums: DaySums, earlier: DaySums | undefined): DaySums => {
  if (earlier === undefined) return sums;
  const before = new Set(Object.values(earlier.notJudged).flat());
  const stillOpen = Object.entries(sums.notJudged).map(([reason, hours]) => [
    reason,
    hours.filter((hour) => before.has(hour)),
  ]);
  return {
    ...sums,
    notJudged: Object.fromEntries(stillOpen.filter(([, hours]) => hours?.length !== 0)),
    rules: rulesOf([earlier, sums]),
  };
};

/** The days that are summed again, though nothing about them is known to have changed. */
const RECENT_DAYS = 2;

/**
 * The days whose sums a night makes: those that have none, that are unequal, or that count other events by now, because late
 * ones came; the last two days; and one more day, another one each night.
 * @param days in their order, epoch ms. @param countedNow by the statistics; a day without an entry is not compared.
 */
export const daysToSum = (
  days: readonly number[],
  stored: ReadonlyMap<number, DaySums>,
  countedNow: ReadonlyMap<number, number>,
): number[] => {
  const night = (days.at(-1) ?? 0) / DAY_MS;
  return days.filter((day, index) => {
    const sums = stored.get(day);
    if (sums === undefined || !isWhole(sums)) return true;
    if (index >= days.length - RECENT_DAYS || index === night % days.length) return true;
    return countedNow.has(day) && countedNow.get(day) !== sums.counted;
  });
};
