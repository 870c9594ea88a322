/**
 * Counts requests in the instance and adds the counts to the store: at the end of each invocation (`flush`), and every
 * 5 s in a long one. An addition without an answer is resent under the same sequence number, so it counts once; newer
 * counts wait for the next addition.
 */
import type { Clock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { writeLog } from "../runtime/log.ts";
import { type Counts, isZero, minus, noCounts, plus } from "./circuit.ts";
import { bucketKeys, bucketOf, globalBucketKeys } from "./circuit-keys.ts";
import type { Addition, StatisticsStore } from "./statistics-store.ts";

/** Decisions: counts may lag by this time. */
export const FLUSH_INTERVAL_MS = 5_000;

/** An addition without an answer is dropped after this time: a missing count is better than a double one. */
export const IN_DOUBT_MS = 5 * 60_000;

/** After a store failure counts stay in the instance for this time, so that no invocation waits for the store. */
export const FLUSH_PAUSE_MS = 5_000;

/** Maximum wait for the store at the end of an invocation. */
const FLUSH_DEADLINE_MS = 500;

/** succeeded: neither failed nor refused. rejected: refused by the circuit and never sent. */
export type Counted = "succeeded" | "failed" | "rejected";

type Bucket = { pending: Counts; inDoubt?: Addition & { since: number } };

export type RequestCounter = ReturnType<typeof createRequestCounter>;

export const createRequestCounter = (dependencies: { store: Pick<StatisticsStore, "add">; clock: Clock }) => {
  const { store, clock } = dependencies;
  const instance = newRequestToken();
  const globalBucket = bucketOf(globalBucketKeys, instance);
  /** Counts since the last flush began, by organization. A guarded call touches only this map. */
  let counted = new Map<string, Counts>();
  const buckets = new Map<string, Bucket>();
  let countedSince = 0;
  let sequence = 0;
  /** Flushes run one after another, so each bucket has at most one addition in doubt. */
  let flushed = Promise.resolve();
  let flushesUnderWay = 0;
  let pausedUntil = 0;

  const addTo = (key: string, counts: Counts): void => {
    const bucket = buckets.get(key) ?? { pending: noCounts };
    bucket.pending = plus(bucket.pending, counts);
    buckets.set(key, bucket);
  };

  const isSent = async (key: string, bucket: Bucket): Promise<boolean> => {
    if (bucket.inDoubt && clock() - bucket.inDoubt.since > IN_DOUBT_MS) {
      writeLog("error", "Counts of requests were dropped: the store did not answer in time.", {
        count: bucket.inDoubt.counts.total,
      });
      delete bucket.inDoubt;
    }
    if (!bucket.inDoubt) {
      if (isZero(bucket.pending)) return true;
      sequence = Math.max(clock(), sequence + 1);
      bucket.inDoubt = { instance, sequence, counts: bucket.pending, since: clock() };
      bucket.pending = noCounts;
    }
    try {
      await store.add(key, bucket.inDoubt, FLUSH_DEADLINE_MS);
      delete bucket.inDoubt;
      return true;
    } catch {
      pausedUntil = clock() + FLUSH_PAUSE_MS;
      return false;
    }
  };

  const send = async (key: string, bucket: Bucket): Promise<void> => {
    const wasInDoubt = bucket.inDoubt !== undefined;
    if (!(await isSent(key, bucket))) return;
    if (wasInDoubt && !(await isSent(key, bucket))) return;
    if (isZero(bucket.pending)) buckets.delete(key);
  };

  const flushOnce = async (): Promise<void> => {
    const taken = counted;
    counted = new Map();
    for (const [organizationId, counts] of taken) {
      addTo(bucketOf(bucketKeys(organizationId), instance), counts);
      addTo(globalBucket, counts);
    }
    if (clock() >= pausedUntil) await Promise.all([...buckets].map(([key, bucket]) => send(key, bucket)));
  };

  /** Adds the counts so far to the store. Never throws: counts that the store did not accept wait for the next flush. */
  const flush = (): Promise<void> => {
    flushesUnderWay++;
    flushed = flushed.then(flushOnce).finally(() => flushesUnderWay--);
    return flushed;
  };

  return {
    flush,

    /** Counts one request of an organization. In a long invocation this starts a flush every 5 s. */
    count(organizationId: string, what: Counted): void {
      const now = clock();
      if (counted.size === 0) countedSince = now;
      let counts = counted.get(organizationId);
      if (counts === undefined) {
        counts = { total: 0, failed: 0, rejected: 0 };
        counted.set(organizationId, counts);
      }
      counts.total++;
      if (what !== "succeeded") counts[what]++;
      if (now - countedSince >= FLUSH_INTERVAL_MS && flushesUnderWay === 0) void flush();
    },

    /** Subtracts an organization's counts from the global sums after its reset. `flush` sends the change. */
    takeFromGlobal(counts: Counts): void {
      addTo(globalBucket, minus(noCounts, counts));
    },
  };
};
