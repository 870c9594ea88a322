/**
 * Work on one thing at a time: `turns(key, work)` begins when the work under the same key before it is over. Those that
 * still wait share one run: it begins after all of them asked, so it does for each what its own would.
 * @returns a function that gives the result of the run it asked for or shares.
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
