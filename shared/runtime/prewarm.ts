/**
 * What a cold start does ahead of the first request. Lambda gives an instance that initialises a full processor and
 * one that serves a request half of one, and connections take time to open: what is done before is cheaper and over.
 * Only a bundle's entry (infra/build.ts) calls `prewarm`; where modules are merely imported, nothing happens.
 */

/** A cold start waits no longer than this; what is late goes on beside the first request, which does not need it. */
const CAP_MS = 1_000;

const tasks: (() => Promise<unknown>)[] = [];

/**
 * Adds something that a first request would otherwise do first. It runs at most once, and its failure is nobody's:
 * the request does without it, and meets the failure itself if it lasts.
 * @param task makes no call for which the function's role needs a right, and bounds its own time.
 */
export const beforeFirstRequest = (task: () => Promise<unknown>): void => {
  tasks.push(task);
};

/**
 * Runs all that was added, side by side. Never throws, and leaves no timer behind.
 * @returns why tasks failed; nothing else would ever tell that a task no longer does what it is for.
 */
export const prewarm = async (): Promise<unknown[]> => {
  const failures: unknown[] = [];
  const { promise: capped, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CAP_MS);
  const run = async (task: () => Promise<unknown>) => {
    try {
      await task();
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.race([Promise.all(tasks.splice(0).map(run)), capped]);
  clearTimeout(timer);
  return failures;
};
