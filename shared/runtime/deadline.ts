/**
 * The time that a request may wait for other services. Limits nest: one attempt (document-client.ts, kms.ts, …) < one call
 * with its repetitions (call-store.ts) < the request's own work < its side work < 5 s < the function's time-out. Background
 * work has no deadline here.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** For the work that the answer needs. */
const OWN_WORK_MS = 4_200;
/** For side work as well: recording, publishing, statistics. The rest of the 5 s is for the answer. */
const SIDE_WORK_MS = 4_600;

const nowMs = (): number => {
  // Not performance.now, which loads a module at its first use; not the clock, which may be set.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};

/** A time-out that can be stopped for a while. */
const createTimeout = (ms: number) => {
  const controller = new AbortController();
  let leftMs = ms;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    start(): void {
      startedAt = nowMs();
      timer = setTimeout(() => controller.abort(), leftMs).unref();
    },
    stop(): void {
      clearTimeout(timer);
      leftMs -= nowMs() - startedAt;
    },
  };
};

type Deadline = { own: ReturnType<typeof createTimeout>; side: ReturnType<typeof createTimeout>; held: number };
type Work = { deadline: Deadline; isSide: boolean };

const NAME = Symbol.for("request-deadline");
// The deferred part of a function (infra/build.ts) contains this file again, and must find the same deadline.
const shared: { [NAME]?: AsyncLocalStorage<Work> } = globalThis as object;
shared[NAME] ??= new AsyncLocalStorage<Work>();
const storage: AsyncLocalStorage<Work> = shared[NAME];

/**
 * Runs a request. From its deadline on, its calls of other services fail at once.
 * @param options milliseconds, for tests.
 */
export const withDeadline = async <Result>(
  work: () => Promise<Result>,
  { ownMs = OWN_WORK_MS, sideMs = SIDE_WORK_MS } = {},
): Promise<Result> => {
  const deadline = { own: createTimeout(ownMs), side: createTimeout(sideMs), held: 0 };
  deadline.own.start();
  deadline.side.start();
  try {
    return await storage.run({ deadline, isSide: false }, work);
  } finally {
    deadline.own.stop();
    deadline.side.stop();
  }
};

/** Runs work that the answer does not need. It has more time than the request's own work, so that it still ends well. */
export const asSideWork = <Result>(work: () => Result): Result => {
  const current = storage.getStore();
  return current === undefined ? work() : storage.run({ ...current, isSide: true }, work);
};

/** Waits for the provider, which has time limits of its own: this time does not count. */
export const outsideDeadline = async <Result>(wait: () => Promise<Result>): Promise<Result> => {
  const deadline = storage.getStore()?.deadline;
  if (deadline === undefined) return wait();
  if (deadline.held++ === 0) {
    deadline.own.stop();
    deadline.side.stop();
  }
  try {
    return await wait();
  } finally {
    if (--deadline.held === 0) {
      deadline.own.start();
      deadline.side.start();
    }
  }
};

/** Aborted at the deadline of the work under way; undefined in background work. */
export const deadlineSignal = (): AbortSignal | undefined => {
  const work = storage.getStore();
  return work?.deadline[work.isSide ? "side" : "own"].signal;
};
