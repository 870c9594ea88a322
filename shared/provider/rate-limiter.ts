/**
 * Our own rate limit towards the provider, per organization and instance. It stays below the provider's limit of an
 * account (25 requests a second in its sandbox), and bounds concurrency, which the provider limits as well. Requests get
 * their slots first come, first served.
 */
import type { Clock } from "../runtime/clock.ts";

export const REQUESTS_PER_SECOND = 20;
/** The most requests at once after a pause: with the rate, no second has more than 25. */
export const BURST = 5;
export const MAX_CONCURRENT = 4;

const INTERVAL_MS = 1_000 / REQUESTS_PER_SECOND;
/** With more organizations, those without recent requests are removed. */
const MAX_ORGANIZATIONS = 1_000;

type Limit = { underWay: number; waiting: (() => void)[]; nextAt: number };

/** The right to make one request. `release` passes it on to the next in line. */
export type Slot = { waitedMs: number; release: () => void };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export const createRateLimiter = ({ clock, sleep }: { clock: Clock; sleep: (ms: number) => Promise<unknown> }) => {
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
    const limit: Limit = { underWay: 0, waiting: [], nextAt: 0 };
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

  return {
    /** Waits until one request may be made. The caller must release the slot. */
    async acquire(organizationId: string): Promise<Slot> {
      const requestedAt = clock();
      const limit = limitOf(organizationId);
      await enter(limit);
      const now = clock();
      // At most MAX_CONCURRENT requests have a time assigned, so a later `nextAt` means that the clock was set back.
      const nextAt = Math.min(limit.nextAt, now + MAX_CONCURRENT * INTERVAL_MS);
      const at = Math.max(nextAt, now - (BURST - 1) * INTERVAL_MS);
      limit.nextAt = at + INTERVAL_MS;
      if (at > now) await sleep(at - now);
      return { waitedMs: Math.max(0, clock() - requestedAt), release: () => leave(limit) };
    },
  };
};
