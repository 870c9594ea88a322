/**
 * Our own rate limit towards the provider, per organization: a share of the rate of all instances (rate-store.ts), and in
 * this instance the same rate once more, so that it holds while the store does not answer, and a bound on concurrency, which
 * the provider limits as well. Requests of an instance get their slots first come, first served.
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { BURST, INTERVAL_MS, type RateStore } from "./rate-store.ts";

export const MAX_CONCURRENT = 4;

/** With more organizations, those without recent requests are removed. */
const MAX_ORGANIZATIONS = 1_000;

/** Until an organization's slots are asked for again, if all of the next 30 s are taken. */
const FULL_PAUSE_MS = 5_000;

/** `sharedNextAt`: of this instance's last slot of the shared rate. */
type Limit = { underWay: number; waiting: (() => void)[]; nextAt: number; sharedNextAt: number };

/** The right to make one request. `release` passes it on to the next in line. */
export type Slot = { waitedMs: number; release: () => void };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export const createRateLimiter = ({
  rate,
  clock,
  sleep,
}: {
  rate: Pick<RateStore, "take">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
}) => {
  const limits = new Map<string, Limit>();

  /** Removes the limits that would delay no request, so that a new one behaves the same. */
  const removeIdle = (): void => {
    const now = clock();
    for (const [organizationId, { underWay, nextAt }] of limits) {
      if (underWay === 0 && nextAt <= now - BURST * INTERVAL_MS) limits.delete(organizationId);
    }
  };

  const limitOf = (organizationId: string): Limit => {
    const existing = limits.get(organizationId);
    if (existing !== undefined) return existing;
    if (limits.size >= MAX_ORGANIZATIONS) removeIdle();
    const limit: Limit = { underWay: 0, waiting: [], nextAt: 0, sharedNextAt: 0 };
    limits.set(organizationId, limit);
    return limit;
  };

  const enter = async (limit: Limit): Promise<void> => {
    if (limit.underWay < MAX_CONCURRENT) limit.underWay++;
    // `leave` resolves it and keeps the count.
    else await new Promise<void>((resolve) => limit.waiting.push(resolve));
  };

  const leave = (limit: Limit): void => {
    const next = limit.waiting.shift();
    if (next === undefined) limit.underWay--;
    else next();
  };

  /** The time of this instance's next slot, epoch ms. */
  const takeOwn = (limit: Limit): number => {
    const now = clock();
    // At most MAX_CONCURRENT requests have a time assigned, so a later `nextAt` means that the clock was set back.
    const nextAt = Math.min(limit.nextAt, now + MAX_CONCURRENT * INTERVAL_MS);
    const at = Math.max(nextAt, now - (BURST - 1) * INTERVAL_MS);
    limit.nextAt = at + INTERVAL_MS;
    return at;
  };

  /** The time of the next slot of all instances, epoch ms; 0 if the store does not answer. */
  const takeShared = async (organizationId: string, limit: Limit): Promise<number> => {
    try {
      for (;;) {
        const slot = await rate.take(organizationId, clock(), limit.sharedNextAt);
        if (slot !== undefined) {
          limit.sharedNextAt = slot.nextAt;
          return slot.at;
        }
        await sleep(FULL_PAUSE_MS);
      }
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      writeLog("warn", "The shared rate of provider requests failed; this instance limits itself", { cause });
      return 0;
    }
  };

  return {
    /**
     * Waits until one request may be made. The caller must release the slot.
     * @param isUnshared for a request that few instances make, and seldom: it costs no call of the store.
     */
    async acquire(organizationId: string, { isUnshared = false } = {}): Promise<Slot> {
      const requestedAt = clock();
      const limit = limitOf(organizationId);
      await enter(limit);
      const own = takeOwn(limit);
      const shared = isUnshared ? 0 : await takeShared(organizationId, limit);
      const waitMs = Math.max(own, shared) - clock();
      if (waitMs > 0) await sleep(waitMs);
      return { waitedMs: Math.max(0, clock() - requestedAt), release: () => leave(limit) };
    },
  };
};
