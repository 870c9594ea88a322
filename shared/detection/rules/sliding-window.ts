/**
 * Windows that slide over facts, each ending with one of them. A window is open at its old end: a fact exactly as old
 * as the window is long is out, as a failure of the circuit breaker is.
 */
import type { Fact } from "./fact.ts";

/** What is counted of the facts in the window. */
export type Tally = { add: (fact: Fact) => void; remove: (fact: Fact) => void };

/** The facts at `from` to `to`, the last one included. */
export type Range = { from: number; to: number };

/**
 * Slides over facts in order of time.
 * @param judge called for each fact when its window is complete, `to` being the fact.
 */
export const slide = (
  facts: readonly Fact[],
  windowMs: number,
  { add, remove }: Tally,
  judge: (last: Fact, range: Range) => void,
): void => {
  let from = 0;
  for (const [to, last] of facts.entries()) {
    add(last);
    for (let first = facts[from]; first !== undefined && first.at <= last.at - windowMs; first = facts[from]) {
      remove(first);
      from++;
    }
    judge(last, { from, to });
  }
};

/** The windows in which the facts weigh so much together. */
export const heavyWindows = (
  facts: readonly Fact[],
  { windowMs, threshold, weightOf }: { windowMs: number; threshold: number; weightOf: (fact: Fact) => number },
): Range[] => {
  const heavy: Range[] = [];
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
    if (weight >= threshold) heavy.push(range);
  });
  return heavy;
};

/** The facts of windows, each once, in order. */
export const factsIn = (facts: readonly Fact[], ranges: readonly Range[]): Fact[] => {
  const found: Fact[] = [];
  let next = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    found.push(...facts.slice(Math.max(from, next), to + 1));
    next = Math.max(next, to + 1);
  }
  return found;
};

/** Facts by what a function says of them, in order; those of which it says nothing are left out. */
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
