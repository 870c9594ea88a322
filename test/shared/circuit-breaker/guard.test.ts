import { beforeEach, describe, expect, it } from "@jest/globals";
import { unannounced } from "../../../shared/circuit-breaker/circuit.ts";
import { createGuard } from "../../../shared/circuit-breaker/guard.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, fail, type Instance, start, succeed, type TestClock, testClock } from "./instance.ts";

quietLog();

const database = useEngine("circuits");

let time: TestClock;
let instance: Instance;
let other: Instance;
let org = "";
let organizations = 0;
beforeEach(() => {
  time = testClock();
  instance = createInstance(database, time.clock);
  other = createInstance(database, time.clock);
  org = `organization ${++organizations}`;
});

const failTimes = async (count: number, { guard }: Instance = instance) => {
  for (let i = 0; i < count; i++) await expect(guard(org, fail)).rejects.toThrow("The provider failed.");
};
const isRefused = async ({ guard }: Instance = instance): Promise<boolean> => {
  try {
    await guard(org, succeed);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "circuit_open" });
    return true;
  }
};
/** A call that waits until the test ends it. `started` resolves when it is sent. */
const held = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const left = Promise.withResolvers<void>();
  const call = () => {
    left.resolve();
    return promise;
  };
  return { call, started: left.promise, succeed: () => resolve("done"), fail: () => reject(new Error("late")) };
};

describe("a closed circuit", () => {
  it("reads the store once in 5 s and writes nothing", async () => {
    for (let i = 0; i < 20; i++) await expect(instance.guard(org, succeed)).resolves.toBe("done");
    const reads = () => instance.requests.filter((name) => name === "GetItemCommand").length;
    expect(instance.requests).toEqual(["GetItemCommand"]);
    time.pass(4_999);
    await instance.guard(org, succeed);
    expect(reads()).toBe(1);
    time.pass(1);
    await instance.guard(org, succeed);
    expect(reads()).toBe(2);
    await instance.guard.flush();
    // The only writes are the counts.
    await expect(other.store.read(org)).resolves.toMatchObject({ generation: 0, starts: [] });
    expect(instance.requests.filter((name) => name !== "GetItemCommand")).toHaveLength(2);
  });

  it("is read from the store if the call starts work", async () => {
    await instance.guard(org, succeed);
    await other.operator.operate(org, { action: "force_open", by: "alice" });
    await expect(instance.guard(org, succeed)).resolves.toBe("done");
    await expect(instance.guard(org, succeed, { isStart: true })).rejects.toMatchObject({ code: "circuit_open" });
  });

  it("opens at the 5th failure of two instances together, and returns the time of a retry", async () => {
    await failTimes(2);
    await failTimes(2, other);
    expect(await isRefused()).toBe(false);
    await failTimes(1);
    const refusal = instance.guard(org, succeed);
    await expect(refusal).rejects.toMatchObject({ retryAt: start + 30_000, retryAfterSeconds: 30 });
    time.pass(29_001);
    await expect(other.guard(org, succeed)).rejects.toMatchObject({ retryAt: start + 30_000, retryAfterSeconds: 1 });
  });

  it.each([
    [59_999, true],
    [60_000, false],
  ])("counts failures that are %i ms old: %s", async (age, opens) => {
    await failTimes(1);
    time.pass(1);
    await failTimes(3);
    time.pass(age - 1);
    await failTimes(1);
    expect(await isRefused(other)).toBe(opens);
  });

  it("is not reset by successes in between", async () => {
    for (let i = 0; i < 4; i++) {
      await failTimes(1);
      await instance.guard(org, succeed);
    }
    await failTimes(1);
    expect(await isRefused()).toBe(true);
  });

  it("does not count other answers of the provider, or faults of the product, as failures", async () => {
    const classifyError = (error: unknown) => (String(error).includes("404") ? "success" : "neutral");
    for (let i = 0; i < 10; i++) {
      const failing = async () => Promise.reject(new Error(i % 2 === 0 ? "404" : "bug"));
      await expect(instance.guard(org, failing, { classifyError })).rejects.toThrow(/404|bug/);
    }
    expect(await isRefused(other)).toBe(false);
    await expect(other.store.read(org)).resolves.toMatchObject({ generation: 0 });
  });

  it("counts a call without an answer as a failure and aborts it", async () => {
    const signals: AbortSignal[] = [];
    const endless = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    for (let i = 0; i < 5; i++) {
      const call = instance.guard(org, endless, { timeoutMs: 5, classifyError: () => "success" });
      await expect(call).rejects.toThrow("The call took longer than 5 ms.");
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true, true]);
    expect(await isRefused()).toBe(true);
  });

  it("rejects a time-out longer than a permit", async () => {
    expect(() => createGuard({ ...instance, timeoutMs: 10_001 })).toThrow(RangeError);
    await expect(instance.guard(org, succeed, { timeoutMs: 10_001 })).rejects.toThrow(RangeError);
  });
});

describe("an open circuit", () => {
  beforeEach(() => failTimes(5));

  it.each([
    [29_999, true],
    [30_000, false],
  ])("refuses after %i ms: %s", async (age, refuses) => {
    time.pass(age);
    expect(await isRefused()).toBe(refuses);
  });

  it("closes after two successes, and not after one", async () => {
    time.pass(30_000);
    await instance.guard(org, succeed);
    await expect(other.store.read(org)).resolves.toMatchObject({ state: "half_open", successes: 1 });
    await other.guard(org, succeed);
    await expect(other.store.read(org)).resolves.toMatchObject({ state: "closed", failures: [], generation: 3 });
  });

  it("is reported as half-open, without a request, by instances that called", async () => {
    expect(instance.guard.isHalfOpen(org)).toBe(false);
    time.pass(30_000);
    await instance.guard(org, succeed);
    instance.requests.length = 0;
    expect(instance.guard.isHalfOpen(org)).toBe(true);
    expect(other.guard.isHalfOpen(org)).toBe(false);
    expect(instance.requests).toEqual([]);
    await instance.guard(org, succeed);
    expect(instance.guard.isHalfOpen(org)).toBe(false);
  });

  it("opens for another 30 s when a probe fails", async () => {
    time.pass(30_000);
    await instance.guard(org, succeed);
    await failTimes(1, other);
    time.pass(29_999);
    expect(await isRefused()).toBe(true);
    time.pass(1);
    expect(await isRefused()).toBe(false);
  });

  it("admits three calls, and one more for each that was not sent", async () => {
    time.pass(30_000);
    const calls = [held(), held(), held()];
    const running = calls.map(({ call }) => instance.guard(org, call, { classifyError: () => "neutral" }));
    const outcomes = Promise.allSettled(running);
    await Promise.all(calls.map(({ started }) => started));
    expect(await isRefused(other)).toBe(true);
    calls[0]?.fail();
    await expect(running[0]).rejects.toThrow("late");
    await other.guard(org, succeed);
    expect(await isRefused(other)).toBe(true);
    for (const call of calls) call.succeed();
    await outcomes;
    await expect(other.store.read(org)).resolves.toMatchObject({ state: "closed" });
  });

  it("recovers although all probes crash", async () => {
    time.pass(30_000);
    const dead = [held(), held(), held()];
    const calls = dead.map(({ call }) => instance.guard(org, call));
    await Promise.all(dead.map(({ started }) => started));
    await expect(other.guard(org, succeed)).rejects.toMatchObject({ retryAt: start + 42_000 });
    time.pass(12_000);
    await expect(other.guard(org, succeed)).rejects.toMatchObject({ retryAt: start + 72_000 });
    time.pass(29_999);
    expect(await isRefused(other)).toBe(true);
    time.pass(1);
    await other.guard(org, succeed);
    for (const call of dead) call.succeed();
    await Promise.all(calls);
    await expect(other.store.read(org)).resolves.toMatchObject({ state: "half_open", successes: 1 });
    await other.guard(org, succeed);
    await expect(other.store.read(org)).resolves.toMatchObject({ state: "closed" });
  });
});

describe("a late result", () => {
  it("of an earlier closed generation changes nothing", async () => {
    const failing = held();
    const running = other.guard(org, failing.call);
    await failing.started;
    await failTimes(5);
    time.pass(30_000);
    await instance.guard(org, succeed);
    await instance.guard(org, succeed);
    await failTimes(4);
    failing.fail();
    await expect(running).rejects.toThrow("late");
    await expect(instance.store.read(org)).resolves.toMatchObject({ state: "closed", failures: { length: 4 } });
  });

  it("of an earlier half-open round changes nothing", async () => {
    await failTimes(5);
    time.pass(30_000);
    const late = held();
    const running = other.guard(org, late.call);
    await late.started;
    await failTimes(1);
    time.pass(30_000);
    await instance.guard(org, succeed);
    late.fail();
    await expect(running).rejects.toThrow("late");
    await expect(instance.store.read(org)).resolves.toMatchObject({ state: "half_open", successes: 1, generation: 4 });
  });
});

describe("an operator", () => {
  it("holds open, holds closed and resets; each action is one transition", async () => {
    await instance.operator.operate(org, { action: "force_open", by: "alice", reason: "incident" });
    await expect(instance.guard(org, succeed)).rejects.toMatchObject({
      retryAt: undefined,
      retryAfterSeconds: undefined,
    });
    time.pass(1_000_000);
    expect(await isRefused()).toBe(true);
    await instance.operator.operate(org, { action: "force_open", by: "bob" });
    await instance.operator.operate(org, { action: "force_close", by: "bob" });
    await failTimes(9);
    expect(await isRefused()).toBe(false);
    await instance.operator.operate(org, { action: "reset", by: "alice" });
    await instance.operator.operate(org, { action: "reset", by: "alice" });
    expect(instance.transitions.map(({ generation, from, to, by }) => [generation, from, to, by])).toEqual([
      [1, "closed", "forced_open", "alice"],
      [2, "forced_open", "forced_closed", "bob"],
      [3, "forced_closed", "closed", "alice"],
    ]);
  });

  it("is named with the request's origin in the operator's own transition only", async () => {
    const mute = createInstance(database, time.clock, { onTransition: () => Promise.reject(new Error("no bus")) });
    await failTimes(5, mute);
    await mute.guard.flush();
    const origins: [string, string | undefined][] = [];
    const recording = createInstance(database, time.clock, {
      onTransition: async ({ cause }, origin) => void origins.push([cause, origin?.ipAddress]),
    });
    const origin = { requestId: "r1", ipAddress: "192.0.2.7" };
    await recording.operator.operate(org, { action: "reset", by: "alice", origin });
    expect(origins).toEqual([
      ["failures", undefined],
      ["reset", "192.0.2.7"],
    ]);
  });

  it("holds for a limited time; then the circuit is closed without failures, and the first failure stores that state", async () => {
    await failTimes(4);
    await instance.operator.operate(org, { action: "force_open", by: "alice", until: start + 10_000 });
    time.pass(9_999);
    expect(await isRefused(other)).toBe(true);
    time.pass(1);
    expect(await isRefused(other)).toBe(false);
    await expect(other.store.read(org)).resolves.toMatchObject({ state: "forced_open", generation: 1 });
    await failTimes(1, other);
    await expect(other.store.read(org)).resolves.toMatchObject({ state: "closed", generation: 2 });
    await other.guard.flush();
    expect(other.transitions).toMatchObject([{ cause: "until_passed", from: "forced_open", to: "closed" }]);
    await failTimes(3, other);
    expect(await isRefused(other)).toBe(false);
    await failTimes(1, other);
    expect(await isRefused(other)).toBe(true);
  });
});

describe("every transition", () => {
  it("is announced once with its cause, if nothing fails", async () => {
    const endInvocations = () => Promise.all([instance.guard.flush(), other.guard.flush()]);
    await failTimes(5);
    await endInvocations();
    time.pass(30_000);
    await failTimes(1, other);
    await endInvocations();
    time.pass(30_000);
    await other.guard(org, succeed);
    await instance.guard(org, succeed);
    await endInvocations();
    const announced = [...instance.transitions, ...other.transitions].sort((a, b) => a.generation - b.generation);
    expect(announced.map(({ generation, from, to, cause, at }) => [generation, from, to, cause, at - start])).toEqual([
      [1, "closed", "open", "failures", 0],
      [2, "open", "half_open", "recovery_timeout", 30_000],
      [3, "half_open", "open", "probe_failed", 30_000],
      [4, "open", "half_open", "recovery_timeout", 60_000],
      [5, "half_open", "closed", "probes_succeeded", 60_000],
    ]);
    const circuit = await instance.store.read(org);
    expect(circuit).toMatchObject({ announced: 5, starts: { length: 1 } });
    expect(unannounced(org, circuit)).toEqual([]);
  });

  it("is announced by the next reader if its instance crashed or failed to announce it", async () => {
    const mute = createInstance(database, time.clock, { onTransition: () => Promise.reject(new Error("no bus")) });
    await failTimes(5, mute);
    await mute.guard.flush();
    expect(await isRefused(instance)).toBe(true);
    await instance.guard.flush();
    // The instance that made it may still announce it.
    expect(instance.transitions).toEqual([]);
    time.pass(10_000);
    expect(await isRefused(instance)).toBe(true);
    await instance.guard.flush();
    expect(instance.transitions).toMatchObject([{ generation: 1, to: "open" }]);
    time.pass(10_000);
    expect(await isRefused(other)).toBe(true);
    await other.guard.flush();
    expect(other.transitions).toEqual([]);
  });

  it("does not make the item grow while announcements fail", async () => {
    const mute = createInstance(database, time.clock, { onTransition: () => Promise.reject(new Error("no bus")) });
    for (let i = 0; i < 25; i++) {
      await mute.operator.operate(org, { action: i % 2 === 0 ? "force_open" : "force_close", by: "alice" });
    }
    const { starts, generation } = await mute.store.read(org);
    expect(generation).toBe(25);
    expect(starts.length).toBeLessThanOrEqual(17);
  });
});
