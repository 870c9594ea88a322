/**
 * Windows that slide over facts; each ends with a fact. A window excludes its start: a fact exactly as old as the window
 * is long is out, as in the circuit breaker. Pure.
 */
import type { Fact } from "./fact.ts";

/** An hour in epoch ms; `end` is exclusive. */
export type Hour = { start: number; end: number };

export const isIn = ({ start, end }: Hour, at: number): boolean => at >= start && at < end;

/** The facts that a window ending in a later hour can contain. @param facts in order of time. */
export const recent = (facts: readonly Fact[], { end }: Hour, windowMs: number): Fact[] =>
  facts.filter(({ at }) => at > end - windowMs);

/** What is counted over the facts of the current window. */
export type Tally = { add: (fact: Fact) => void; remove: (fact: Fact) => void };

/** A window: the indexes of its first and last fact, both inclusive. */
export type Range = { from: number; to: number };

/** Windows over facts, in order of their ends. */
export type Windows = { facts: readonly Fact[]; ranges: readonly Range[] };

/**
 * Slides over facts in order of time.
 * @param visit called for each fact with the window that ends with it, after the tally was updated.
 */
export const slide = (
  facts: readonly Fact[],
  windowMs: number,
  { add, remove }: Tally,
  visit: (last: Fact, range: Range) => void,
): void => {
  let from = 0;
  for (const [to, last] of facts.entries()) {
    add(last);
    for (let first = facts[from]; first !== undefined && first.at <= last.at - windowMs; first = facts[from]) {
      remove(first);
      from++;
    }
    visit(last, { from, to });
  }
};

/** The windows whose facts reach a total weight. */
export const heavyWindows = (
  facts: readonly Fact[],
  {
    windowMs,
    threshold,
    weightOf = () => 1,
  }: { windowMs: number; threshold: number; weightOf?: (fact: Fact) => number },
): Windows => {
  const ranges: Range[] = [];
  let weight = 0;
  const tally: Tally = {
    add: (fact) => {
      weight += weightOf(fact);
    },
    remove: (fact) => {
      weight -= weightOf(fact);
    },
  };
  slide(facts, windowMs, tally, (_, range) => {
    if (weight >= threshold) ranges.push(range);
  });
  return { facts, ranges };
};

export const windowsEndingIn = ({ facts, ranges }: Windows, hour: Hour): Windows => ({
  facts,
  ranges: ranges.filter(({ to }) => isIn(hour, facts[to]?.at ?? hour.end)),
});

/** The facts of all windows, each once, in order of time. */
export const factsIn = ({ facts, ranges }: Windows): Fact[] => {
  const found: Fact[] = [];
  let next = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    found.push(...facts.slice(Math.max(from, next), to + 1));
    next = Math.max(next, to + 1);
  }
  return found;
};

/** Facts by key, in order; those without a key are left out. */
export const groupBy = (facts: readonly Fact[], keyOf: (fact: Fact) => string | undefined): Map<string, Fact[]> => {
  const groups = new Map<string, Fact[]>();
  for (const fact of facts) {
    const key = keyOf(fact);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fact]);
    else group.push(fact);
  }
  return groups;
};
