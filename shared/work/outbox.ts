/**
 * An outbox: the write that makes a change also puts the item into a sparse index (sharded-index.ts), and the item leaves
 * the index once its event is published. An item that waits there for a minute was not published, or its mark was lost:
 * a crash in between or a bus that is down. A schedule publishes it again, so consumers must accept an event twice.
 */

/** An entry that has waited for less may still be published by its writer. */
export const SWEEP_AFTER_MS = 60_000;

/** The time that a round may take. */
const ROUND_MS = 20_000;

export type Outbox<Entry> = {
  /** The entries that have waited long enough, oldest first, as many as one round publishes. */
  list(): Promise<readonly Entry[]>;
  /** Identifies an entry within a run. */
  nameOf(entry: Entry): string;
  /** Publishes entries and marks them as published. @returns how many the bus did not take. */
  publish(entries: readonly Entry[]): Promise<number>;
  /** Waits until the index shows the marks. Without it, a run ends when a round finds no new entry. */
  pause?: () => Promise<unknown>;
};

/**
 * Publishes waiting entries round by round, until the index is empty, the bus refuses an entry, or the time runs short.
 * @param remainingMs how much of the function's time is left.
 */
export const sweepOutbox = async <Entry>(
  { list, nameOf, publish, pause }: Outbox<Entry>,
  remainingMs: () => number,
): Promise<{ published: number; failed: number }> => {
  const total = { published: 0, failed: 0 };
  const tried = new Set<string>();
  let isPaused = false;
  while (total.failed === 0 && remainingMs() > ROUND_MS) {
    const waiting = await list();
    // Skip entries of earlier rounds: their mark failed, or the index lags. The next run publishes them again.
    const fresh = waiting.filter((entry) => !tried.has(nameOf(entry)));
    if (fresh.length === 0) {
      if (waiting.length === 0 || isPaused || pause === undefined) break;
      await pause();
      isPaused = true;
      continue;
    }
    isPaused = false;
    for (const entry of fresh) tried.add(nameOf(entry));
    const failed = await publish(fresh);
    total.published += fresh.length - failed;
    total.failed += failed;
  }
  return total;
};
