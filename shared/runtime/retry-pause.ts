import { setTimeout as sleep } from "node:timers/promises";
import { deadlineSignal } from "./deadline.ts";

const BASE_MS = 20;
const MAX_MS = 400;

/**
 * Waits before another attempt: a random time up to 20 ms, doubled by each earlier attempt, at most 400 ms. Random, so
 * that conflicting writers do not meet again. A request's deadline ends the pause; the next call then fails.
 * @param attempts the number of attempts before the failed one.
 */
export const pauseBeforeRetry = async (attempts: number): Promise<void> => {
  const signal = deadlineSignal();
  const ms = Math.random() * Math.min(MAX_MS, BASE_MS * 2 ** attempts);
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
};
