import { describe, expect, it } from "@jest/globals";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { type Dispatch, dispatch } from "../../../shared/work/dispatch.ts";

const toEvent = (detail: object): BusEvent => ({ source: "test", detailType: "Due", detail });

/** A dispatch of the numbers from 0 on, with a bus and a clock that tests control. */
const createWorld = (count: number, refuses: (event: BusEvent) => boolean = () => false) => {
  const time = { now: 0 };
  const calls: { at: number; details: object[] }[] = [];
  const options: Dispatch<number> = {
    items: [...Array(count).keys()],
    withinMs: 1_000,
    toEvents: (batch) => batch.map((n) => toEvent({ n })),
    bus: {
      async publish(events) {
        calls.push({ at: time.now, details: events.map(({ detail }) => detail) });
        return events.filter(refuses).map((event) => ({ event, reason: "no" }));
      },
    },
    clock: () => time.now,
    sleep: async (ms) => {
      time.now += ms;
    },
    remainingMs: () => 41_400 - time.now,
  };
  return { time, calls, options };
};

const continueAfter = (after: number) => toEvent({ after });

describe("a dispatch", () => {
  it("publishes batches in order, ten at once and one in each interval, and does not wait after the last", async () => {
    const { time, calls, options } = createWorld(56);
    await expect(dispatch(options)).resolves.toEqual({ dispatched: 56, isHandedOver: false });
    expect(calls.flatMap(({ details }) => details)).toEqual(Array.from({ length: 56 }, (_, n) => ({ n })));
    expect(calls.map(({ at, details }) => [at, details.length])).toEqual([
      ...Array.from({ length: 10 }, () => [0, 5]),
      [250, 5],
      [500, 1],
    ]);
    expect(time.now).toBe(500);
  });

  it.each([
    ["twenty a second if that suffices", 12_000, 600_000, 5],
    ["more if that is needed", 12_001, 600_000, 6],
    ["over five minutes if the time is over", 6_001, -1, 6],
  ])("spreads its items evenly: %s", async (_, count, withinMs, atOnce) => {
    const { calls, options } = createWorld(count);
    await dispatch({ ...options, withinMs, remainingMs: () => 900_000 });
    expect(calls[0]?.details).toHaveLength(atOnce);
    expect(calls.at(-1)?.at).toBeLessThanOrEqual(Math.max(withinMs, 300_000));
  });

  it("repeats only the events that the bus refuses", async () => {
    let refusals = 2;
    const { calls, options } = createWorld(10, ({ detail }) => "n" in detail && detail.n === 2 && refusals-- > 0);
    await expect(dispatch(options)).resolves.toMatchObject({ dispatched: 10 });
    expect(calls.map(({ details }) => details.length)).toEqual([5, 1, 1, 5]);
    expect(calls.map(({ at }) => at)).toEqual([0, 250, 500, 500]);
  });

  it("fails if the bus keeps refusing", async () => {
    const { calls, options } = createWorld(8, () => true);
    await expect(dispatch(options)).rejects.toThrow("The event bus does not take");
    expect(calls).toHaveLength(10);
  });

  it("leaves the rest to the schedule's next occurrence if the time runs short", async () => {
    const { calls, options } = createWorld(90);
    await expect(dispatch(options)).resolves.toEqual({ dispatched: 80, isHandedOver: false });
    expect(calls).toHaveLength(16);
    await expect(dispatch({ ...options, remainingMs: () => 0 })).resolves.toEqual({
      dispatched: 0,
      isHandedOver: false,
    });
  });

  it("hands the rest over to the next invocation, after at least one batch", async () => {
    const { calls, options } = createWorld(90);
    await expect(dispatch({ ...options, continueAfter })).resolves.toEqual({ dispatched: 80, isHandedOver: true });
    expect(calls.at(-1)?.details).toEqual([{ after: 79 }]);
    const short = createWorld(40);
    await expect(dispatch({ ...short.options, continueAfter, remainingMs: () => 0 })).resolves.toEqual({
      dispatched: 5,
      isHandedOver: true,
    });
    expect(short.calls.at(-1)?.details).toEqual([{ after: 4 }]);
  });

  it("hands nothing over if all is dispatched", async () => {
    const { calls, options } = createWorld(4);
    await expect(dispatch({ ...options, continueAfter, remainingMs: () => 0 })).resolves.toEqual({
      dispatched: 4,
      isHandedOver: false,
    });
    expect(calls).toHaveLength(1);
  });

  it("without items publishes nothing, whatever the time", async () => {
    const { calls, options } = createWorld(0);
    await expect(dispatch({ ...options, continueAfter })).resolves.toEqual({ dispatched: 0, isHandedOver: false });
    expect(calls).toEqual([]);
  });
});
