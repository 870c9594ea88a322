/**
 * Reads a value at the first call and keeps it. Concurrent calls share one read; a failed read is not kept, so the next call
 * reads again.
 */
export const readOnce = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
};
