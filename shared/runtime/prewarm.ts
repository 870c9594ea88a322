/**
 * Tasks of a cold start before the first request. Lambda gives an initialising instance a full processor, and a request
 * half of one; opening connections early also saves time. Only the entry of a bundle (infra/build.ts) calls `prewarm`;
 * importing the modules does nothing.
 */

/** The longest wait of a cold start. Work that exceeds the limit keeps running; its result is ignored. */
const CAP_MS = 1_000;

const tasks: (() => Promise<unknown>)[] = [];

/**
 * Adds a task that the first request would otherwise do. It runs at most once. If it fails, the request does the work.
 * @param task must not need a permission of the function's role, and must limit its own time.
 */
export const beforeFirstRequest = (task: () => Promise<unknown>): void => {
  tasks.push(task);
};

/**
 * Runs all tasks in parallel. Never throws, and leaves no timer running.
 * @returns the errors of failed tasks, so that tests can check them.
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
