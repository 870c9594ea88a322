/** What rules share in making findings. */
import { MAX_EVENT_IDS } from "../../security/alerts/alert.ts";
import type { Finding } from "../../security/alerts/finding.ts";
import { hourName } from "../../terms/hours.ts";
import type { Fact } from "./fact.ts";
import type { Hour } from "./rule.ts";

export const isIn = ({ start, end }: Hour, at: number): boolean => at >= start && at < end;

/** Of facts in order of time, those that a window ending in a later hour can reach; exactly that old is out. */
export const recent = (facts: readonly Fact[], { end }: Hour, windowMs: number): Fact[] =>
  facts.filter(({ at }) => at > end - windowMs);

type Said = Omit<Finding, "occurrence" | "eventIds" | "firstSeen" | "lastSeen">;

/** A rule's finding of an hour about a subject. @param facts the evidence, in order of time, and not empty. */
export const findingOfHour = (hour: Hour, facts: readonly Fact[], said: Said): Finding => ({
  ...said,
  occurrence: hourName(hour.start),
  eventIds: facts.slice(-MAX_EVENT_IDS).map(({ id }) => id),
  firstSeen: facts.at(0)?.at ?? hour.start,
  lastSeen: facts.at(-1)?.at ?? hour.end,
});

/** Lists in evidence are short: it is kept in 2 KB. */
const MAX_LISTED = 10;

/** Of some values those that are there, each once, in order; the first few. */
export const listed = (values: Iterable<string | undefined>): string[] =>
  [...new Set(values)]
    .filter((value) => value !== undefined)
    .sort()
    .slice(0, MAX_LISTED);
