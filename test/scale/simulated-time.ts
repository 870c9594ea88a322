/** A clock on which calls of stores take time and nothing else does, so that hours of a dispatcher pass in seconds. */

export type SimulatedTime = ReturnType<typeof createSimulatedTime>;

/** @param start epoch ms */
export const createSimulatedTime = (start: number) => {
  let now = start;
  let isScheduled = false;
  const waiting = new Map<number, (() => void)[]>();

  /** Once all work waits, moves the clock to the earliest end of a wait. */
  const pass = () => {
    isScheduled = false;
    const next = Math.min(...waiting.keys());
    if (next === Infinity) return;
    now = next;
    const ended = waiting.get(next) ?? [];
    waiting.delete(next);
    for (const resolve of ended) resolve();
    schedule();
  };
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(pass);
  };

  return {
    now: (): number => now,
    sleep: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const end = now + Math.max(0, ms);
        waiting.set(end, [...(waiting.get(end) ?? []), resolve]);
        schedule();
      }),
  };
};
