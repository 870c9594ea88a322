import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { callStore } from "../../../shared/runtime/call-store.ts";
import { asSideWork, deadlineSignal, outsideDeadline, withDeadline } from "../../../shared/runtime/deadline.ts";
import { createEventBus } from "../../../shared/runtime/event-bus.ts";
import { pauseBeforeRetry } from "../../../shared/runtime/retry-pause.ts";

// Only the deadline's own timers are faked: the limit of a single call stays real and is longer than these tests.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] }));
afterEach(() => void jest.useRealTimers());

const OWN_MS = 4_200;
const SIDE_MS = 4_600;

/** A call that a service never answers, and how often it was sent. */
const createHangingCall = () => {
  const sent = { count: 0 };
  const call = () =>
    callStore(({ abortSignal }) => {
      if (abortSignal.aborted) return Promise.reject(abortSignal.reason);
      sent.count++;
      return new Promise<never>((_, reject) => {
        abortSignal.addEventListener("abort", () => reject(abortSignal.reason));
      });
    });
  return { sent, call };
};

const succeed = () => callStore(async ({ abortSignal }) => abortSignal.throwIfAborted());

describe("the deadline of a request", () => {
  it("ends a call that hangs, and every later call of the request's own work", async () => {
    const { sent, call } = createHangingCall();
    const failed = withDeadline(async () => {
      await expect(call()).rejects.toMatchObject({ code: "store_unavailable" });
      await expect(call()).rejects.toMatchObject({ code: "store_unavailable" });
      await expect(succeed()).rejects.toMatchObject({ code: "store_unavailable" });
    });
    await jest.advanceTimersByTimeAsync(OWN_MS);
    await failed;
    expect(sent.count).toBe(1);
  });

  it("leaves time for side work after the request's own work, and then ends that too", async () => {
    const { call } = createHangingCall();
    const ended = withDeadline(async () => {
      await call().catch(() => undefined);
      await asSideWork(async () => {
        await succeed();
        await expect(call()).rejects.toMatchObject({ code: "store_unavailable" });
      });
    });
    await jest.advanceTimersByTimeAsync(OWN_MS);
    await jest.advanceTimersByTimeAsync(SIDE_MS - OWN_MS);
    await ended;
  });

  it("ends a publication and the pause before a retry", async () => {
    const bus = createEventBus({ putEvents: () => new Promise(() => undefined) }, "bus");
    const event = { source: "test", detailType: "Test", detail: {} };
    const ended = withDeadline(async () => {
      await createHangingCall()
        .call()
        .catch(() => undefined);
      await pauseBeforeRetry(9);
      return bus.publish([event]);
    });
    await jest.advanceTimersByTimeAsync(OWN_MS);
    await expect(ended).resolves.toEqual([{ event, reason: "NoTimeLeft" }]);
  });

  it("does not count the time of the provider, also of concurrent calls", async () => {
    const wait = (ms: number) => outsideDeadline(() => new Promise<void>((resolve) => setTimeout(resolve, ms)));
    const ended = withDeadline(async () => {
      await Promise.all([wait(10_000), wait(20_000)]);
      await succeed();
      await expect(createHangingCall().call()).rejects.toMatchObject({ code: "store_unavailable" });
    });
    await jest.advanceTimersByTimeAsync(20_000);
    await jest.advanceTimersByTimeAsync(OWN_MS);
    await ended;
  });

  it("is separate for each request, and absent in background work", async () => {
    expect(deadlineSignal()).toBeUndefined();
    const first = withDeadline(async () => {
      await createHangingCall()
        .call()
        .catch(() => undefined);
    });
    await jest.advanceTimersByTimeAsync(OWN_MS - 1);
    const second = withDeadline(async () => {
      await first;
      await succeed();
    });
    await jest.advanceTimersByTimeAsync(1);
    await second;
    await outsideDeadline(() => asSideWork(succeed));
    expect(jest.getTimerCount()).toBe(0);
  });
});
