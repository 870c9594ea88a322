/** Counts requests that read from the provider in the instance, and adds them to the store when told to. */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { monthOf, type ReadAddition, type ReadCountStore } from "./read-count-store.ts";

/** An invocation's end waits no longer for the store. */
const FLUSH_DEADLINE_MS = 500;

/** `pending`: not sent yet. `inDoubt`: sent without an answer, and repeated as it was. */
type Count = { organizationId: string; month: string; pending: number; inDoubt?: ReadAddition };

export type ReadCounts = ReturnType<typeof createReadCounts>;

export const createReadCounts = (dependencies: {
  store: Pick<ReadCountStore, "add">;
  clock: Clock;
  newToken: () => string;
}) => {
  const { store, clock, newToken } = dependencies;
  const counts = new Map<string, Count>();

  /** Flushes go one after another: each count has at most one addition in doubt. */
  let flushed: Promise<void> = Promise.resolve();

  const send = async (count: Count): Promise<void> => {
    while (count.inDoubt !== undefined || count.pending > 0) {
      if (count.inDoubt === undefined) {
        count.inDoubt = { count: count.pending, token: newToken() };
        count.pending = 0;
      }
      await store.add(count.organizationId, count.month, count.inDoubt, FLUSH_DEADLINE_MS);
      delete count.inDoubt;
    }
  };

  const flushOnce = async (): Promise<void> => {
    let failed = 0;
    const sendOne = async ([name, count]: [string, Count]) => {
      try {
        await send(count);
        counts.delete(name);
      } catch {
        failed++;
      }
    };
    await Promise.all([...counts].map(sendOne));
    if (failed > 0) writeLog("warn", "Reads of the provider were not added to their counts yet.", { counts: failed });
  };

  return {
    /** Counts one request. */
    count(organizationId: string): void {
      const month = monthOf(clock());
      const name = `${month} ${organizationId}`;
      const known = counts.get(name);
      if (known === undefined) counts.set(name, { organizationId, month, pending: 1 });
      else known.pending++;
    },

    /** Adds what was counted to the store. Never throws: what the store did not take is sent again the next time. */
    flush(): Promise<void> {
      flushed = flushed.then(flushOnce);
      return flushed;
    },
  };
};
