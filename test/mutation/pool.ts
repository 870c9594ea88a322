import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { root } from "./instrument.ts";
import type { Coverage, FilePlan, Reply, Request, Verdict } from "./worker.ts";

/** Processes that run tests; each does one thing at a time. */
export type Pool = {
  cover(file: string): Promise<Coverage>;
  judge(id: string, plan: FilePlan[]): Promise<Verdict>;
  stop(): void;
};

/** How long a worker may stay silent beyond the time limits of its tests. */
const silenceMs = 120_000;

/** How long a whole test file may take without a fault. */
const coverMs = 600_000;

type Worker = { ask(request: Request, silenceLimit?: number): Promise<Reply | "silent" | "ended">; end(): void };

const startWorker = (): Worker => {
  const child: ChildProcess = fork(join(import.meta.dirname, "worker.ts"), {
    cwd: root,
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return {
    ask: (request, silenceLimit = Number.POSITIVE_INFINITY) =>
      new Promise((resolve) => {
        const timer = Number.isFinite(silenceLimit) ? setTimeout(() => settle("silent"), silenceLimit) : undefined;
        const settle = (reply: Reply | "silent" | "ended"): void => {
          clearTimeout(timer);
          child.off("message", settle).off("exit", onExit);
          resolve(reply);
        };
        const onExit = (): void => settle("ended");
        child.once("message", settle).once("exit", onExit);
        child.send(request);
      }),
    end: () => void child.kill("SIGKILL"),
  };
};

/** @param files the files whose faults the workers can switch on */
export const startPool = (files: string[], size: number): Pool => {
  const idle: Worker[] = [];
  const waiting: ((worker: Worker) => void)[] = [];
  const all = new Set<Worker>();

  const add = async (): Promise<void> => {
    const worker = startWorker();
    all.add(worker);
    const reply = await worker.ask({ kind: "instrument", files });
    if (typeof reply !== "string" && "failure" in reply) throw new Error(reply.failure);
    release(worker);
  };
  const release = (worker: Worker): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(worker);
    else next(worker);
  };
  const replace = (worker: Worker): void => {
    all.delete(worker);
    worker.end();
    void add();
  };
  const take = (): Promise<Worker> => {
    const worker = idle.pop();
    return worker === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(worker);
  };
  for (let index = 0; index < size; index++) void add();

  return {
    async cover(file) {
      const worker = await take();
      const reply = await worker.ask({ kind: "cover", file }, coverMs);
      release(worker);
      if (typeof reply === "string")
        throw new Error(`${file}: the worker ${reply === "silent" ? "is silent" : "ended"}`);
      if ("failure" in reply) throw new Error(`${file}: ${reply.failure}`);
      if (!("coverage" in reply)) throw new Error(`${file}: the worker answered something else`);
      return reply.coverage;
    },
    async judge(id, plan) {
      const worker = await take();
      const limit = silenceMs + plan.reduce((sum, { timeLimit }) => sum + timeLimit, 0);
      const reply = await worker.ask({ kind: "mutant", id, plan }, limit);
      if (typeof reply === "string" || !("verdict" in reply)) {
        // A fault that blocks or ends the process fails every test.
        replace(worker);
        const message = reply === "silent" ? `no answer after ${limit} ms` : "the process ended";
        return { caughtBy: { file: plan[0]?.file ?? "", title: "(process)", message }, isSpent: true };
      }
      if (reply.verdict.isSpent) replace(worker);
      else release(worker);
      return reply.verdict;
    },
    stop: () => {
      for (const worker of all) worker.end();
    },
  };
};
