import { setTimeout as sleep } from "node:timers/promises";

const BASE_MS = 20;
const MAX_MS = 400;

/**
 * Waits before another attempt: a random time up to 20 ms, doubled by each attempt before, 400 ms at most. Random, so
 * that those who ran into each other do not meet again.
 * @param attempts how many there were before this one that failed.
 */
export const pauseBeforeRetry = (attempts: number): Promise<void> =>
  sleep(Math.random() * Math.min(MAX_MS, BASE_MS * 2 ** attempts));
