/** Work that is spread over frames, so that none of them is late. */

const waiting = new Set<() => void>();

const runNext = (): void => {
  const [next] = waiting;
  if (next === undefined) return;
  waiting.delete(next);
  next();
  if (waiting.size > 0) requestAnimationFrame(runNext);
};

/** Runs one piece of work in a frame of its own, after those before it. @returns how to cancel it. */
export const inTurn = (work: () => void): (() => void) => {
  waiting.add(work);
  if (waiting.size === 1) requestAnimationFrame(runNext);
  return () => waiting.delete(work);
};
