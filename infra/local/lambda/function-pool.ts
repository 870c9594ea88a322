import { randomBytes, randomUUID } from "node:crypto";
import type { Watchdog } from "../core/watchdog.ts";
import {
  exited,
  type FunctionError,
  type InvocationResult,
  MAX_REQUEST_BYTES,
  MAX_RESPONSE_BYTES,
  requestTooLarge,
  responseTooLarge,
  stopping,
  timedOut,
} from "./function-error.ts";
import { type Instance, type Outcome, startInstance } from "./instance.ts";

/** How long an instance may take to load its code. Source: https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html */
const INIT_TIMEOUT_MS = 10_000;
const IDLE_MS = 5 * 60_000;

export type FunctionPool = {
  /**
   * Runs one event, given as JSON text; waits in order while all instances are busy. Never rejects.
   * @param onStart called when an instance takes the event, so that a caller's own time-out leaves out the waiting
   */
  invoke(payload: string, onStart?: () => void): Promise<InvocationResult>;
  /** Living instances, and how many were ever started. */
  counts(): { instances: number; coldStarts: number };
  /**
   * Runs later events on the code of another directory. Idle instances of the present code end at once, the others after
   * their event. Resolves when the last of them has ended, so that the present directory may be removed.
   */
  replaceCode(codeDirectory: string): Promise<void>;
  /** Invocations so far, and the time that AWS would bill for them and for the initialisations; in ms. */
  usage(): FunctionUsage;
  /** Kills every instance. Events that run or wait are answered with an error. */
  stop(): Promise<void>;
};

export type FunctionUsage = { invocations: number; invocationMs: number; initMs: number };

export type FunctionPoolOptions = {
  functionArn: string;
  codeDirectory: string;
  memoryMb: number;
  timeoutSeconds: number;
  environment: (codeDirectory: string) => Record<string, string>;
  maxInstances: number;
  /** Real time after which an idle instance ends: five minutes; tests may shorten it. */
  idleMs?: number;
  clockOffsetMs: () => number;
  log: (line: string) => void;
  watchdog: Watchdog;
};

type Request = { payload: string; onStart: () => void; answer: (result: InvocationResult) => void };
type Idle = { instance: Instance; reaper: NodeJS.Timeout };

/** The instances of one function: one event each at a time, more under load up to the bound, kept warm between events. */
export const createFunctionPool = (options: FunctionPoolOptions): FunctionPool => {
  const { functionArn, timeoutSeconds, maxInstances, idleMs = IDLE_MS, clockOffsetMs, log } = options;
  const timeoutMs = timeoutSeconds * 1000;
  const living = new Set<Instance>();
  /** Instances of replaced code that still work on an event. */
  const outdated = new WeakSet<Instance>();
  let { codeDirectory } = options;
  /** The last one used is taken first, so that a quiet function keeps few. */
  const idle: Idle[] = [];
  const queue: Request[] = [];
  let coldStarts = 0;
  const usage: FunctionUsage = { invocations: 0, invocationMs: 0, initMs: 0 };
  let stopped = false;

  const failed = (error: FunctionError, reason: "failed" | "timed out" | "refused" = "failed"): InvocationResult => {
    // The trace's first line repeats type and message.
    if (!stopped)
      for (const line of [`Invoke Error ${error.errorType}: ${error.errorMessage}`, ...error.trace.slice(1)]) log(line);
    return { ok: false, error, reason };
  };

  /** Awaits an outcome for this long; a process that takes longer is killed. */
  const within = async (instance: Instance, ms: number, outcome: Promise<Outcome>): Promise<Outcome | "timed out"> => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      instance.kill();
    }, ms);
    const result = await outcome;
    clearTimeout(timer);
    return late ? "timed out" : result;
  };

  const resultOf = (requestId: string, outcome: Outcome | "timed out", limitSeconds: number): InvocationResult => {
    if (outcome === "timed out") return failed(timedOut(requestId, limitSeconds), "timed out");
    switch (outcome.kind) {
      case "answer":
        return Buffer.byteLength(outcome.payload) > MAX_RESPONSE_BYTES
          ? failed(responseTooLarge())
          : { ok: true, payload: outcome.payload };
      case "error":
        return failed(outcome.error);
      case "exit":
        return failed(stopped ? stopping() : exited(requestId, outcome.code, outcome.signal));
      case "ready":
        throw new Error("an instance was ready twice");
    }
  };

  const start = (): Instance => {
    coldStarts++;
    const instance = startInstance({
      ...options,
      codeDirectory,
      environment: options.environment(codeDirectory),
      clockOffsetMs: clockOffsetMs(),
    });
    living.add(instance);
    const startedAt = performance.now();
    void instance.initialised.then(() => {
      usage.initMs += performance.now() - startedAt;
    });
    void instance.ended.then(() => {
      living.delete(instance);
      const at = idle.findIndex((one) => one.instance === instance);
      if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.reaper);
      // A waiting event can now start another instance.
      const waiting = stopped ? undefined : queue.shift();
      if (waiting) void run(start(), waiting);
    });
    return instance;
  };

  const release = (instance: Instance) => {
    if (outdated.has(instance)) {
      instance.kill();
      return;
    }
    const waiting = queue.shift();
    if (waiting) void run(instance, waiting);
    else idle.push({ instance, reaper: setTimeout(instance.kill, idleMs).unref() });
  };

  const run = async (instance: Instance, { payload, onStart, answer }: Request): Promise<void> => {
    const requestId = randomUUID();
    const loaded = await within(instance, INIT_TIMEOUT_MS, instance.initialised);
    if (loaded === "timed out" || loaded.kind !== "ready") {
      instance.kill();
      answer(resultOf(requestId, loaded, INIT_TIMEOUT_MS / 1000));
      return;
    }
    onStart();
    const traceId = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString("hex")}`;
    const event = { requestId, functionArn, payload, timeoutMs, clockOffsetMs: clockOffsetMs(), traceId };
    const startedAt = performance.now();
    const outcome = await within(instance, timeoutMs, instance.handOver(event));
    usage.invocations++;
    usage.invocationMs += performance.now() - startedAt;
    const warm = outcome !== "timed out" && (outcome.kind === "answer" || (outcome.kind === "error" && !outcome.fatal));
    if (warm) release(instance);
    else instance.kill();
    answer(resultOf(requestId, outcome, timeoutSeconds));
  };

  return {
    invoke(payload, onStart = () => {}) {
      if (stopped) return Promise.resolve(failed(stopping()));
      if (Buffer.byteLength(payload) > MAX_REQUEST_BYTES)
        return Promise.resolve(failed(requestTooLarge(MAX_REQUEST_BYTES), "refused"));
      return new Promise((answer) => {
        const request = { payload, onStart, answer };
        const free = idle.pop();
        if (free) {
          clearTimeout(free.reaper);
          void run(free.instance, request);
        } else if (living.size < maxInstances) void run(start(), request);
        else queue.push(request);
      });
    },
    async replaceCode(directory) {
      codeDirectory = directory;
      const replaced = [...living];
      for (const instance of replaced) outdated.add(instance);
      for (const { instance, reaper } of idle.splice(0)) {
        clearTimeout(reaper);
        instance.kill();
      }
      await Promise.all(replaced.map(({ ended }) => ended));
    },
    counts: () => ({ instances: living.size, coldStarts }),
    usage: () => ({ ...usage }),
    async stop() {
      stopped = true;
      for (const { answer } of queue.splice(0)) answer(failed(stopping()));
      for (const { reaper } of idle.splice(0)) clearTimeout(reaper);
      await Promise.all(
        [...living].map((instance) => {
          instance.kill();
          return instance.ended;
        }),
      );
    },
  };
};
