/** Bounds what is under way at once. */

/**
 * Runs works in the order of their calls, at most `most` at once.
 * @returns a function that rejects with the signal's reason if the signal is aborted before the work begins.
 */
export const atMost = (most: number) => {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
};
