/** A run with this many failures begins nothing further. */
const MAX_FAILURES = 10;

/** `marginMs`: with less time left, nothing further begins. `failures`: those so far. `stop`: called if items may be left. */
export type LimitedRun = {
  remainingMs: () => number;
  marginMs: number;
  failures: readonly unknown[];
  stop: () => void;
};

/** The items of a list as long as a run has time and few failures. */
export const whileThereIsTime = async function* <Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { remainingMs, marginMs, failures, stop }: LimitedRun,
): AsyncGenerator<Item, void, void> {
  for await (const item of items) {
    if (remainingMs() < marginMs || failures.length >= MAX_FAILURES) return stop();
    yield item;
  }
};
