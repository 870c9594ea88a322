/**
 * Serialises work by key: `turns(key, work)` begins when earlier work under the same key has ended. Waiting callers share
 * one run, which begins after all of them called.
 * @returns a function that returns the result of its own or the shared run.
 */
export const createTurns = <Result>() => {
  const running = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Promise<Result>>();
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const shared = waiting.get(key);
    if (shared !== undefined) return shared;
    const begin = (): Promise<Result> => {
      waiting.delete(key);
      const run = work();
      const over = run
        .catch(() => undefined)
        .then(() => {
          if (running.get(key) === over) running.delete(key);
        });
      running.set(key, over);
      return run;
    };
    const before = running.get(key);
    if (before === undefined) return begin();
    const next = before.then(begin);
    waiting.set(key, next);
    return next;
  };
};
