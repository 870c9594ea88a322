/**
 * What somebody waits for who did not ask for it. What is late goes on, and nobody hears of its end.
 * @throws what the work throws in time, or Error where it is late.
 */
export const withinTime = async <Result>(work: Promise<Result>, withinMs: number): Promise<Result> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("It took too long.")), withinMs);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
