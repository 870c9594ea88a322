import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { parseDuration, runClock } from "../../../../infra/local/commands/run-clock.ts";
import { startJsonServer } from "../../../../infra/local/http/json-server.ts";
import type { Listening } from "../../../../infra/local/http/listen.ts";

const NOW = Date.parse("2026-11-22T14:00:00Z");
const HOUR = 3_600_000;

let control: Listening;
const moves: unknown[] = [];
/** What the control server does before it answers. */
let beforeState = async () => {};
let beforeMove = async () => {};
beforeAll(async () => {
  const schedules = [{ name: "my-stack-hourly", nextAt: NOW + HOUR }, { name: "my-stack-off" }];
  control = await startJsonServer({
    onError: (error) => {
      throw error;
    },
    routes: {
      "GET /": async () => {
        await beforeState();
        return { status: 200, body: { now: NOW, schedules } };
      },
      "POST /clock/advance": async ({ body }) => {
        await beforeMove();
        moves.push(body);
        const fired = ["my-stack-hourly", "my-stack-daily", "my-stack-hourly"].map((name) => ({ name, at: NOW }));
        return { status: 200, body: { now: NOW + 8 * 24 * HOUR, fired } };
      },
    },
  });
});
afterAll(() => control.close());

/** What the command that runs has written so far. */
let shown = "";

/** What the command writes; undefined if it did nothing. */
const clock = async (...args: string[]) => (await run(args)).written();
const run = async (args: string[], isTerminal = false) => {
  const { url } = control;
  const urls = { issuerUrl: url, controlUrl: url, providerUrl: url, dynamodbUrl: url, jwksUrl: url };
  const stack = { ...urls, audience: "a", tables: [], pid: process.pid };
  let out = "";
  const write = (text: string) => {
    out += text;
    shown = out;
  };
  const isDone = await runClock(args, { stack, isTerminal, paint: (_format, text) => text, write });
  return { written: () => (isDone ? out : undefined) };
};

describe("npm run clock", () => {
  const result = "2026-11-22T14:00Z → 2026-11-30T14:00Z  2 × hourly, 1 × daily\n";

  it("moves the clock and names the schedules that fired", async () => {
    expect(await clock("8d", "--last")).toBe(result);
    await clock("70m");
    expect(moves).toEqual([
      { ms: 192 * HOUR, firing: "last" },
      { ms: 70 * 60_000, firing: "each" },
    ]);
  });

  it("ends a terminal's line with the result, even if an answer about the progress comes late", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "setTimeout", "performance"] });
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    try {
      beforeMove = async () => {
        beforeState = () => {
          asked.resolve();
          return held.promise;
        };
        jest.advanceTimersByTime(500);
        await asked.promise;
      };
      const { written } = await run(["8d"], true);
      beforeState = async () => {};
      held.resolve();
      await clock();
      expect(written()).toBe(`\r\x1b[K${result}`);
    } finally {
      beforeMove = async () => {};
      jest.useRealTimers();
    }
  });

  it("writes each minute of the progress once to a terminal", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "setTimeout", "performance"] });
    shown = "";
    try {
      beforeMove = async () => {
        for (let tick = 0; tick < 3; tick++) {
          const asked = Promise.withResolvers<void>();
          beforeState = async () => asked.resolve();
          jest.advanceTimersByTime(500);
          await asked.promise;
          while (!shown.includes("…")) await new Promise((resolve) => setTimeout(resolve, 5));
          // The answers of later ticks arrive while this request is answered.
          await (await fetch(`${control.url}/`)).text();
        }
      };
      expect((await run(["8d"], true)).written()).toBe(`\r2026-11-22T14:00Z …\r\x1b[K${result}`);
    } finally {
      beforeState = async () => {};
      beforeMove = async () => {};
      jest.useRealTimers();
    }
  });

  it("shows the clock and the next schedules", async () => {
    expect(await clock()).toMatch(/^2026-11-22T14:00:00\.000Z\n {2}hourly +in 1 h\n {2}off +disabled\n$/);
  });

  it("reads durations, and shows their form if it cannot", async () => {
    expect(["90s", "70m", "4h", "8d", "1d12h"].map(parseDuration)).toEqual(
      [90, 4_200, 14_400, 691_200, 129_600].map((seconds) => seconds * 1_000),
    );
    await expect(clock("-5m")).rejects.toThrow(/^-5m: expected a duration/);
    await expect(clock("1.5h")).rejects.toThrow(/^1\.5h: expected a duration such as 90s, 70m, 4h, 8d or 1d12h$/);
    expect(await clock("--help")).toBeUndefined();
  });
});
