import type { Queue } from "./queues.ts";

/** Resolves when there may be something to receive, or after so many real milliseconds. */
export const waitForArrival = (queue: Queue, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const stop = queue.onArrival(() => done());
    const timer = setTimeout(() => done(), ms);
    const done = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
  });
