/**
 * The provider's own rate limits (https://docs.stripe.com/rate-limits), off until they are switched on: requests of an
 * account within any second, and those of one endpoint. A refused request does not count.
 */
import * as z from "zod";
import type { RateLimitReason } from "../faults/faults.ts";
import { endpointOf } from "./request-counts.ts";

const WINDOW_MS = 1_000;

const limit = z.int().min(1).max(100_000).nullable().default(null);

/** Requests within any second; null is no limit. The provider's sandbox has 25 for an account. */
export const RateLimits = z.strictObject({ perSecond: limit, perEndpoint: limit });
export type RateLimits = z.output<typeof RateLimits>;

export const createRateLimiter = (initial: RateLimits) => {
  let limits = initial;
  /** The times of admitted requests, oldest first, by account or endpoint. */
  const admitted = new Map<string, number[]>();
  const recent = (key: string, nowMs: number): number[] => {
    const times = (admitted.get(key) ?? []).filter((at) => at > nowMs - WINDOW_MS);
    admitted.set(key, times);
    return times;
  };
  return {
    limits: () => limits,
    set(changed: RateLimits): void {
      limits = changed;
      admitted.clear();
    },
    /** Admits a request, or returns the limit that it exceeds as `Stripe-Rate-Limited-Reason` has it. */
    admit(accountId: string, request: { method: string; path: string; nowMs: number }): RateLimitReason | undefined {
      const { perSecond, perEndpoint } = limits;
      if (perSecond === null && perEndpoint === null) return undefined;
      const { method, path, nowMs } = request;
      const all = recent(accountId, nowMs);
      const same = recent(`${accountId} ${endpointOf(method, path)}`, nowMs);
      if (perSecond !== null && all.length >= perSecond) return "global-rate";
      if (perEndpoint !== null && same.length >= perEndpoint) return "endpoint-rate";
      all.push(nowMs);
      same.push(nowMs);
      return undefined;
    },
  };
};

export type RateLimiter = ReturnType<typeof createRateLimiter>;
