import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { isRunning } from "../../../../infra/local/core/processes.ts";
import { startWatchdog } from "../../../../infra/local/core/watchdog.ts";
import {
  createFunctionPool,
  type FunctionPool,
  type FunctionPoolOptions,
} from "../../../../infra/local/lambda/function-pool.ts";
import { deepIt } from "../../../support/deep-it.ts";
import { functionDirectory } from "../../../support/function-directory.ts";
import { usePerFile } from "../../../support/use-started.ts";

const watchdog = usePerFile(startWatchdog);
const pools: FunctionPool[] = [];
const lines: string[] = [];
let clockOffsetMs = 0;

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()));
  lines.length = 0;
  clockOffsetMs = 0;
});

const startPool = (source: string, options: Partial<FunctionPoolOptions> = {}, file?: string) => {
  const codeDirectory = functionDirectory(source, file);
  const pool = createFunctionPool({
    functionArn: "arn:aws:lambda:eu-central-1:123456789012:function:sample",
    codeDirectory,
    memoryMb: 128,
    timeoutSeconds: 10,
    environment: (directory) => ({ LAMBDA_TASK_ROOT: directory, _HANDLER: "index.handler", GREETING: "hello" }),
    maxInstances: 3,
    clockOffsetMs: () => clockOffsetMs,
    log: (line) => lines.push(line),
    watchdog,
    ...options,
  });
  pools.push(pool);
  const call = async (event: unknown) => {
    const result = await pool.invoke(JSON.stringify(event));
    return result.ok ? JSON.parse(result.payload) : result.error;
  };
  return { pool, call, codeDirectory };
};

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe("an instance", () => {
  it.each([
    ["an ES module", "export const handler = async (event) => ({ got: event })", "index.mjs"],
    ["CommonJS", "exports.handler = async (event) => ({ got: event })", "index.js"],
    [
      "CommonJS that replaces its exports",
      "const all = { handler: (event) => ({ got: event }) }; module.exports = all",
      "index.cjs",
    ],
  ])("runs %s", async (_, source, file) => {
    const { call } = startPool(source, {}, file);
    expect(await call({ n: 1 })).toEqual({ got: { n: 1 } });
  });

  it("sees exactly the given environment, and its own directory", async () => {
    const { call, codeDirectory } = startPool(
      "export const handler = async () => ({ env: process.env, cwd: process.cwd() })",
    );
    const { env, cwd } = await call({});
    expect(Object.keys(env).sort()).toEqual(["GREETING", "LAMBDA_TASK_ROOT", "_HANDLER", "_X_AMZN_TRACE_ID"]);
    expect(cwd).toBe(codeDirectory);
  });

  it("is started by the program that its environment names", async () => {
    const { call, codeDirectory } = startPool("export const handler = async () => process.env.STARTED_BY", {
      environment: (directory) => ({
        LAMBDA_TASK_ROOT: directory,
        _HANDLER: "index.handler",
        AWS_LAMBDA_EXEC_WRAPPER: "/var/task/start.sh",
      }),
    });
    writeFileSync(join(codeDirectory, "start.sh"), '#!/bin/sh\nSTARTED_BY=wrapper exec "$@"\n', { mode: 0o755 });
    expect(await call({})).toBe("wrapper");
  });

  it("receives Lambda's context", async () => {
    const { call } = startPool(
      "export const handler = async (e, c) => ({ ...c, remaining: c.getRemainingTimeInMillis() })",
      { timeoutSeconds: 5 },
    );
    const context = await call({});
    expect(context).toMatchObject({
      invokedFunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:sample",
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(context.remaining).toBeGreaterThan(0);
    expect(context.remaining).toBeLessThanOrEqual(5000);
  });

  it("returns null for undefined", async () => {
    const { call } = startPool("export const handler = async () => {}");
    expect(await call({})).toBeNull();
  });

  it("forwards its log lines", async () => {
    const { pool, call } = startPool(
      "export const handler = () => { console.log('one\\ntwo'); console.error('three') }",
    );
    await call({});
    await pool.stop();
    expect([...lines].sort()).toEqual(["one", "three", "two"]);
  });

  it("accepts and returns 5 MB", async () => {
    const { call } = startPool("export const handler = (event) => ({ text: event.text + event.text.slice(0, 9) })");
    const text = "x".repeat(5_000_000);
    expect((await call({ text })).text.length).toBe(5_000_009);
  });

  it("sees the local cloud's clock, also while warm", async () => {
    const { pool, call } = startPool(
      `const loadedAt = Date.now();
       export const handler = () => ({ loadedAt, now: Date.now(), made: new Date().getTime(), text: Date.parse(Date()),
         fixed: new Date(0).toISOString(), same: new Date() instanceof Date && new Date().constructor === Date,
         sub: new (class Later extends Date {})().getTime(), utc: Date.UTC(1970, 0, 1) })`,
    );
    const day = 86_400_000;
    clockOffsetMs = day;
    const before = Date.now();
    const first = await call({});
    clockOffsetMs = 3 * day;
    const second = await call({});
    expect(first.loadedAt - before).toBeGreaterThanOrEqual(day);
    expect(first.loadedAt - before).toBeLessThan(2 * day);
    for (const time of [second.now, second.made, second.text + 1000, second.sub])
      expect(time - before).toBeGreaterThanOrEqual(3 * day);
    expect(second).toMatchObject({ fixed: "1970-01-01T00:00:00.000Z", same: true, utc: 0, loadedAt: first.loadedAt });
    expect(pool.counts().coldStarts).toBe(1);
  });

  it("runs due timers in the next event of a handler that waits for nothing, before the handler", async () => {
    const { call } = startPool(
      `let fired = 0;
       export const handler = (delay) => {
         const seen = fired;
         if (delay !== null) setTimeout(() => { fired++; }, delay);
         return seen;
       };`,
      { maxInstances: 1 },
    );
    expect(await call(1)).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await call(null)).toBe(1);
  });

  it("runs nothing between two events: a due timer waits for the next event", async () => {
    const { call, codeDirectory } = startPool(
      `import { writeFileSync } from "node:fs";
       export const handler = async (event) => {
         if (event.wait) await new Promise((resolve) => setTimeout(resolve, 50));
         else for (const ms of [0, 1, 20]) setTimeout(() => writeFileSync("stray-" + ms, ""), ms);
       }`,
    );
    const stray = [0, 1, 20].map((ms) => join(codeDirectory, `stray-${ms}`));
    await call({});
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(stray.map((file) => existsSync(file))).toEqual([false, false, false]);
    await call({ wait: true });
    expect(stray.map((file) => existsSync(file))).toEqual([true, true, true]);
  });
});

describe("failures", () => {
  it("end an instance at its time-out; the next event starts a fresh one", async () => {
    const { pool, call } = startPool(
      `export const handler = async ({ how }) => {
         if (how === "spin") for (;;);
         if (how === "hang") await new Promise((resolve) => setTimeout(resolve, 60_000));
         return process.pid;
       }`,
      { timeoutSeconds: 1, maxInstances: 1 },
    );
    /** The process of an event that ends in time: on a busy machine, an instance may also be late by itself. */
    const processOf = async (): Promise<number> => {
      for (;;) {
        const answer = await call({});
        if (typeof answer === "number") return answer;
        expect(answer).toMatchObject({ errorType: "Sandbox.Timedout" });
      }
    };
    const first = await processOf();
    expect(await call({ how: "spin" })).toEqual({
      errorType: "Sandbox.Timedout",
      errorMessage: expect.stringMatching(/^RequestId: [0-9a-f-]{36} Error: Task timed out after 1.00 seconds$/),
      trace: [],
    });
    const second = await processOf();
    expect(second).not.toBe(first);
    expect(await pool.invoke('{"how":"hang"}')).toMatchObject({ ok: false, reason: "timed out" });
    expect(await processOf()).not.toBe(second);
    expect(pool.counts().instances).toBe(1);
    expect(pool.counts().coldStarts).toBeGreaterThanOrEqual(3);
  });

  it("do not end an instance whose handler throws", async () => {
    const { pool, call } = startPool(
      "export const handler = async (event) => { if (event.bad) throw new TypeError('broken'); return 1 }",
    );
    expect(await call({ bad: true })).toMatchObject({
      errorType: "TypeError",
      errorMessage: "broken",
      trace: expect.arrayContaining(["TypeError: broken"]),
    });
    expect(lines[0]).toBe("Invoke Error TypeError: broken");
    expect(await call({})).toBe(1);
    expect(pool.counts().coldStarts).toBe(1);
  });

  it.each([
    ["exits", "process.exit(3)", "Runtime.ExitError", "exit status 3"],
    ["exits with 0", "process.exit(0)", "Runtime.ExitError", "without providing a reason"],
    [
      "is killed",
      "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})",
      "Runtime.ExitError",
      "signal: killed",
    ],
    [
      "throws outside of its promise",
      "setTimeout(() => { throw new RangeError('late') }); await new Promise((r) => setTimeout(r, 5000))",
      "RangeError",
      "late",
    ],
    [
      "leaves a rejection",
      "Promise.reject(new Error('lost')); await new Promise((r) => setTimeout(r, 5000))",
      "Runtime.UnhandledPromiseRejection",
      "lost",
    ],
    ["never settles", "await new Promise(() => {})", "Runtime.NodeJsExit", "never settled"],
  ])("an instance that %s fails that event only", async (_, body, errorType, errorMessage) => {
    const { pool, call } = startPool(`export const handler = async (event) => { if (event.bad) { ${body} } return 1 }`);
    expect(await call({ bad: true })).toMatchObject({ errorType, errorMessage: expect.stringContaining(errorMessage) });
    expect(await call({})).toBe(1);
    expect(pool.counts().coldStarts).toBe(2);
  });

  it.each([
    ["throws while it is loaded", "throw new Error('no config')", "Error", "no config"],
    ["has no such export", "export const other = 1", "Runtime.HandlerNotFound", "index.handler is undefined"],
    ["imports a missing module", "import 'nowhere'", "Runtime.ImportModuleError", "nowhere"],
    ["is no JavaScript", "export const = 1", "Runtime.UserCodeSyntaxError", ""],
    ["exits while it is loaded", "process.exit(7)", "Runtime.ExitError", "exit status 7"],
  ])("code that %s fails each event with a fresh instance", async (_, source, errorType, errorMessage) => {
    const { pool, call } = startPool(source);
    const expected = { errorType, errorMessage: expect.stringContaining(errorMessage) };
    expect(await call({})).toMatchObject(expected);
    expect(await call({})).toMatchObject(expected);
    expect(pool.counts().coldStarts).toBe(2);
  });

  it("affect every event of a function whose code is missing", async () => {
    const { call } = startPool("", { codeDirectory: "/nowhere" });
    expect(await call({})).toMatchObject({ errorType: "Runtime.ExitError" });
    expect(lines).toContainEqual(expect.stringContaining("cannot start an instance"));
  });

  deepIt("include results that cannot be serialised or are too large", async () => {
    const { pool, call } = startPool(
      `export const handler = ({ how, letters, quotes = 0 }) =>
         how === "bigint" ? { n: 1n } : "x".repeat(letters) + '"'.repeat(quotes)`,
    );
    expect(await call({ how: "bigint" })).toMatchObject({ errorMessage: "Unable to stringify response body" });
    // Lambda counts the JSON text of the result: two quotes around the text, and two bytes for each quote in it.
    const most = 6_291_556 - 2;
    expect((await call({ letters: most })).length).toBe(most);
    expect((await call({ letters: most - 2_000, quotes: 1_000 })).length).toBe(most - 1_000);
    for (const event of [{ letters: most + 1 }, { letters: most - 1_999, quotes: 1_000 }]) {
      expect(await call(event)).toMatchObject({ errorType: "Function.ResponseSizeTooLarge" });
    }
    expect(await pool.invoke(JSON.stringify("x".repeat(6_291_456)))).toMatchObject({
      ok: false,
      reason: "refused",
      error: { errorType: "RequestEntityTooLargeException" },
    });
    expect(pool.counts().coldStarts).toBe(1);
  });
});

describe("load", () => {
  it("starts instances up to the limit; further requests wait and are served in order", async () => {
    const { pool, codeDirectory } = startPool(
      `import { appendFileSync, existsSync } from "node:fs";
       export const handler = async ({ n }) => {
         appendFileSync("begun", process.pid + ":" + n + " ");
         while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 5));
         return process.pid;
       }`,
      { maxInstances: 2 },
    );
    const begun = () =>
      readFileSync(join(codeDirectory, "begun"), "utf8")
        .split(" ")
        .filter((one) => one !== "")
        .map((one) => ({ pid: one.split(":")[0], n: Number(one.split(":")[1]) }));
    writeFileSync(join(codeDirectory, "begun"), "");
    const results = Array.from({ length: 8 }, (_, n) => pool.invoke(JSON.stringify({ n })));
    await until(() => begun().length === 2);
    expect(
      begun()
        .map(({ n }) => n)
        .sort(),
    ).toEqual([0, 1]);
    expect(pool.counts()).toEqual({ instances: 2, coldStarts: 2 });
    writeFileSync(join(codeDirectory, "go"), "");
    const pids = (await Promise.all(results)).map((result) => (result.ok ? result.payload : "failed"));
    expect(new Set(pids).size).toBe(2);
    // Either instance may begin first. Each instance receives its events in the order of the requests.
    for (const own of Map.groupBy(begun(), ({ pid }) => pid).values()) {
      const given = own.map(({ n }) => n);
      expect(given).toEqual([...given].sort());
    }
    expect(pool.counts().coldStarts).toBe(2);
  });

  it("keeps strict order with one instance and gives each event to one instance at a time", async () => {
    const { pool } = startPool(
      `let busy = false; const seen = [];
       export const handler = async ({ n }) => {
         if (busy) throw new Error("two at once");
         busy = true; seen.push(n);
         await new Promise((resolve) => setTimeout(resolve, 1));
         busy = false;
         return seen;
       }`,
      { maxInstances: 1 },
    );
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => pool.invoke(JSON.stringify({ n }))));
    expect(results.at(-1)).toEqual({ ok: true, payload: JSON.stringify(Array.from({ length: 20 }, (_, n) => n)) });
  });

  it("serves waiting requests although every earlier instance crashed", async () => {
    const { pool } = startPool("export const handler = ({ n }) => n < 3 ? process.exit(1) : n", { maxInstances: 1 });
    const results = await Promise.all(Array.from({ length: 5 }, (_, n) => pool.invoke(JSON.stringify({ n }))));
    expect(results.map((result) => result.ok)).toEqual([false, false, false, true, true]);
  });

  it("ends an instance after a long idle time, and starts another for the next event", async () => {
    const { pool, call } = startPool("export const handler = () => process.pid", { idleMs: 20 });
    const first = await call({});
    await until(() => pool.counts().instances === 0);
    expect(isRunning(first)).toBe(false);
    expect(await call({})).not.toBe(first);
  });

  it("ends every process at stop and answers the events in progress", async () => {
    const { pool, codeDirectory } = startPool(
      `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
       export const handler = async () => {
         const child = spawn("/bin/sleep", ["60"]);
         writeFileSync("pids", process.pid + " " + child.pid + " end");
         await new Promise((resolve) => setTimeout(resolve, 60_000));
       }`,
      { maxInstances: 1 },
    );
    const file = join(codeDirectory, "pids");
    const results = [pool.invoke("{}"), pool.invoke("{}")];
    await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("end"));
    await pool.stop();
    const pids = readFileSync(file, "utf8").split(" ").slice(0, 2).map(Number);
    await until(() => !pids.some(isRunning));
    for (const result of await Promise.all(results))
      expect(result).toMatchObject({ ok: false, error: { errorMessage: "The local cloud is stopping" } });
    expect(pool.counts().instances).toBe(0);
    expect(await pool.invoke("{}")).toMatchObject({ ok: false });
  });
});

describe("replaced code", () => {
  const answering = (text: string) => `export const handler = async () => ${JSON.stringify(text)};`;

  it("runs the next event; an idle instance of the old code ends, and its directory may go", async () => {
    const { pool, call } = startPool(answering("old"));
    expect(await call({})).toBe("old");
    await pool.replaceCode(functionDirectory(answering("new")));
    expect(pool.counts().instances).toBe(0);
    expect(await call({})).toBe("new");
  });

  it("leaves an event that runs on the old code, and takes waiting events to the new", async () => {
    const { pool, call, codeDirectory } = startPool(
      `import { existsSync, writeFileSync } from "node:fs";
      export const handler = async () => {
        writeFileSync("begun", "");
        while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 5));
        return "old";
      };`,
      { maxInstances: 1 },
    );
    const running = call({});
    const waiting = call({});
    await until(() => existsSync(join(codeDirectory, "begun")));
    const ended = pool.replaceCode(functionDirectory(answering("new")));
    writeFileSync(join(codeDirectory, "go"), "");
    expect([await running, await waiting]).toEqual(["old", "new"]);
    await ended;
    expect(pool.counts().coldStarts).toBe(2);
  });
});
