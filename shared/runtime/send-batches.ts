/** Sends entries to a service that takes them in batches: repeats the failed ones within a deadline, and never throws. */
import { limitTo } from "./call-store.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";

const MAX_ENTRIES = 10;
const MAX_ATTEMPTS = 4;
/** For all batches and attempts together: a request may be waiting. */
const DEADLINE_MS = 2_500;

/** Sends up to ten entries once. @returns for each entry the reason of its failure, or undefined. @throws if the call fails. */
type SendBatch<Entry> = (entries: readonly Entry[], abortSignal: AbortSignal) => Promise<(string | undefined)[]>;

/** `one` is what the caller sends; `entry` is what the service takes for it. */
type Pending<One, Entry> = { one: One; entry: Entry; bytes: number; reason: string };

/** Full batches in order. */
const batchesOf = <One, Entry>(pending: readonly Pending<One, Entry>[], maxBytes: number): Pending<One, Entry>[][] => {
  const batches: Pending<One, Entry>[][] = [];
  let batch: Pending<One, Entry>[] | undefined;
  let bytes = 0;
  for (const one of pending) {
    bytes += one.bytes;
    if (batch === undefined || batch.length === MAX_ENTRIES || bytes > maxBytes) {
      batch = [];
      batches.push(batch);
      bytes = one.bytes;
    }
    batch.push(one);
  }
  return batches;
};

/**
 * Sends each entry at least once, four times at most and within 2.5 s, or the request's time. Never throws.
 * @param entryOf what the service takes, and its size in bytes as the service counts it.
 * @param maxBytes of all entries of a batch.
 * @returns the entries that the service did not accept and the code or name of the reason, in no order.
 */
export const sendBatches = async <One, Entry>(
  all: readonly One[],
  entryOf: (one: One) => { entry: Entry; bytes: number },
  maxBytes: number,
  send: SendBatch<Entry>,
): Promise<{ one: One; reason: string }[]> => {
  const signal = limitTo(DEADLINE_MS);
  const tooLarge: Pending<One, Entry>[] = [];
  let pending: Pending<One, Entry>[] = [];
  for (const one of all) {
    const { entry, bytes } = entryOf(one);
    if (bytes > maxBytes) tooLarge.push({ one, entry, bytes, reason: "TooLarge" });
    else pending.push({ one, entry, bytes, reason: "NoTimeLeft" });
  }
  const trySend = async (batch: readonly Pending<One, Entry>[]): Promise<(string | undefined)[]> => {
    try {
      return await send(
        batch.map(({ entry }) => entry),
        signal,
      );
    } catch (error) {
      return batch.map(() => (error instanceof Error ? error.name : String(error)));
    }
  };
  for (let attempt = 0; attempt < MAX_ATTEMPTS && pending.length > 0 && !signal.aborted; attempt++) {
    if (attempt > 0) await pauseBeforeRetry(attempt + 1);
    const failed: Pending<One, Entry>[] = [];
    for (const batch of batchesOf(pending, maxBytes)) {
      const reasons = await trySend(batch);
      batch.forEach((one, i) => {
        if (reasons[i] !== undefined) failed.push({ ...one, reason: reasons[i] });
      });
    }
    pending = failed;
  }
  return [...tooLarge, ...pending];
};
