import { describe, expect, it, jest } from "@jest/globals";

const load = async () => {
  jest.resetModules();
  return import("../../../shared/runtime/prewarm.ts");
};

describe("prewarm", () => {
  it("runs all added tasks concurrently and once", async () => {
    const { beforeFirstRequest, prewarm } = await load();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = jest.fn(() => promise);
    beforeFirstRequest(waiting);
    beforeFirstRequest(async () => resolve());
    expect(await prewarm()).toEqual([]);
    expect(await prewarm()).toEqual([]);
    expect(waiting).toHaveBeenCalledTimes(1);
  });

  it("returns failures, and does not throw", async () => {
    const { beforeFirstRequest, prewarm } = await load();
    const atOnce = new Error("at once");
    const later = new Error("later");
    beforeFirstRequest(() => {
      throw atOnce;
    });
    beforeFirstRequest(() => Promise.reject(later));
    expect(await prewarm()).toEqual([atOnce, later]);
  });

  it("does not wait for a task that never ends", async () => {
    const { beforeFirstRequest, prewarm } = await load();
    jest.useFakeTimers();
    beforeFirstRequest(() => new Promise(() => undefined));
    const done = prewarm();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await done).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
