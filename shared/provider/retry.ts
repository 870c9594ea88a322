/** Whether and when an operation is tried again. Spec: Limits; decisions: docs/provider.md, "Operations". Pure. */
import type { ProviderError } from "./provider-error.ts";

/** Decisions: an operation gives up after so many attempts, or after so long. */
export const MAX_ATTEMPTS = 3;
export const OPERATION_DEADLINE_MS = 10_000;

/** So long one attempt may wait for its answer: two that hang leave the deadline unbroken. */
export const ATTEMPT_TIMEOUT_MS = 5_000;

/** With less time than this left an attempt is not worth a request. */
export const MIN_ATTEMPT_MS = 500;

const BASE_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;

/**
 * How long to wait before the next attempt; undefined to give up. A random time up to 250 ms, doubled by each attempt
 * that failed before ("full jitter"), and at least as long as the provider asks for, if there is time for that.
 * @param random from 0 to 1.
 */
export const pauseBefore = (
  error: ProviderError,
  { attempts, remainingMs, random }: { attempts: number; remainingMs: number; random: number },
): number | undefined => {
  if (!error.isRetryable || attempts >= MAX_ATTEMPTS) return undefined;
  const ownMs = Math.round(random * Math.min(MAX_PAUSE_MS, BASE_PAUSE_MS * 2 ** attempts));
  const pauseMs = Math.max(ownMs, error.retryAfterMs ?? 0);
  return pauseMs + MIN_ATTEMPT_MS <= remainingMs ? pauseMs : undefined;
};
