/**
 * Counts requests in the instance and adds them to the store in one go: at the end of each invocation (`flush`), and
 * every 5 s in a long one. Each addition counts once, even if its answer is lost: it is repeated under the same
 * number until an answer comes, and what is counted meanwhile waits for the next one.
 */
import type { Clock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { writeLog } from "../runtime/log.ts";
import { type Counts, noCounts } from "./circuit.ts";
import { bucketKeys, bucketOf, globalBucketKeys } from "./statistics-keys.ts";
import type { Addition, StatisticsStore } from "./statistics-store.ts";

/** Decisions: counts may lag so long. */
export const FLUSH_INTERVAL_MS = 5_000;

/** An addition without an answer is given up after so long; better a count too few than one too many. */
export const IN_DOUBT_MS = 5 * 60_000;

/** After the store failed to answer, counts stay in the instance for so long, and no invocation waits for it. */
export const FLUSH_PAUSE_MS = 5_000;

/** An invocation's end waits no longer for the store. */
const FLUSH_DEADLINE_MS = 500;

/** succeeded: neither failed nor refused. rejected: refused by the circuit, and never sent. */
export type Counted = "succeeded" | "failed" | "rejected";

type Bucket = { pending: Counts; inDoubt?: Addition & { since: number } };

export type Statistics = ReturnType<typeof createStatistics>;

const plus = (a: Counts, b: Counts): Counts => ({
  total: a.total + b.total,
  failed: a.failed + b.failed,
  rejected: a.rejected + b.rejected,
});
const isNothing = ({ total, failed, rejected }: Counts): boolean => total === 0 && failed === 0 && rejected === 0;

export const createStatistics = (dependencies: { store: Pick<StatisticsStore, "add">; clock: Clock }) => {
  const { store, clock } = dependencies;
  const instance = newRequestToken();
  const globalBucket = bucketOf(globalBucketKeys, instance);
  /** What was counted since the last flush began, by organization; the hot path touches nothing else. */
  let counted = new Map<string, Counts>();
  const buckets = new Map<string, Bucket>();
  let countedSince = 0;
  let sequence = 0;
  /** Flushes go one after another: each bucket has at most one addition in doubt. */
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
      writeLog("error", "Counts of requests were given up.", { count: bucket.inDoubt.counts.total });
      delete bucket.inDoubt;
    }
    if (!bucket.inDoubt) {
      if (isNothing(bucket.pending)) return true;
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
    const hadDoubt = bucket.inDoubt !== undefined;
    if (!(await isSent(key, bucket))) return;
    if (hadDoubt && !(await isSent(key, bucket))) return;
    if (isNothing(bucket.pending)) buckets.delete(key);
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

  /** Adds what was counted so far. Never throws: what the store did not take stays for the next time. */
  const flush = (): Promise<void> => {
    flushesUnderWay++;
    flushed = flushed.then(flushOnce).finally(() => flushesUnderWay--);
    return flushed;
  };

  return {
    flush,

    /** Counts one request of an organization; in a long invocation this begins a flush every 5 s. */
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

    /** Takes counts that an organization was reset from out of the sum of all; `flush` sends it. */
    takeFromGlobal(counts: Counts): void {
      addTo(globalBucket, { total: -counts.total, failed: -counts.failed, rejected: -counts.rejected });
    },
  };
};
