/**
 * The time of a simulation, and the order of everything in it. Everything that happens is an entry of one queue, in the order of its time; entries of the
 * same time come in the order of a random number. Time moves only from entry to entry. `installTime` replaces the clock,
 * the timers and the randomness of the process, so that the seed alone decides what happens.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import callbackTimers from "node:timers";
import timers from "node:timers/promises";
import { createRandom } from "../support/random.ts";

const DAY_MS = 86_400_000;

/**
 * A seed's simulation begins at 00:00 UTC of a day of its own: what a module remembers for some minutes does not pass
 * from one simulation to the next.
 */
const startOf = (seed: number): number => Date.UTC(2026, 10, 23) + (seed % 50_000) * DAY_MS;

/** A simulation that takes more steps does not end. */
const MAX_STEPS = 100_000;

/** A process that the simulation runs: its clock, and whether it still runs. */
export type Process = { name: string; clockOffsetMs: number; isDead: boolean; isFrozen: boolean; parked: Entry[] };

type Entry = { at: number; order: number; owner: Process | undefined; run: () => void; isCancelled: boolean };

const realImmediate = setImmediate;
const owners = new AsyncLocalStorage<Process>();

/** The process whose code runs now; undefined in the code of the simulation. */
export const currentProcess = (): Process | undefined => owners.getStore();

/** Runs work as a process: its clock, its timers and its requests. */
export const runAs = <Result>(owner: Process, work: () => Result): Result => owners.run(owner, work);

/** Lets all promises settle. Nothing that the simulation runs waits for anything but promises and entries. */
const settle = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

export type Scheduler = ReturnType<typeof createScheduler>;

export const createScheduler = (seed: number) => {
  const random = createRandom(seed);
  const heap: Entry[] = [];
  let now = startOf(seed);
  let steps = 0;

  const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

  const push = (entry: Entry): void => {
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!isBefore(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  };

  const pop = (): Entry | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const [child, at] = other !== undefined && isBefore(other, one) ? [other, left + 1] : [one, left];
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = at;
    }
    heap[index] = last;
    return first;
  };

  /** Calls `run` after a time, unless it is cancelled or its process dies. @returns cancels it. */
  const after = (ms: number, run: () => void, owner?: Process): (() => void) => {
    const entry = { at: now + Math.max(0, Math.trunc(ms)), order: random(), owner, run, isCancelled: false };
    push(entry);
    return () => {
      entry.isCancelled = true;
    };
  };

  return {
    random,
    now: () => now,
    steps: () => steps,
    after,
    chance: (probability: number) => random() < probability,
    /** A whole number from `least` to `most`. */
    between: (least: number, most: number) => least + Math.floor(random() * (most - least + 1)),
    pick: <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value,
    /** Resolves after a time. */
    sleep: (ms: number, owner?: Process): Promise<void> => new Promise((resolve) => void after(ms, resolve, owner)),

    /** Lets an instance run again. What came while it was frozen is there now. */
    thaw(owner: Process): void {
      owner.isFrozen = false;
      for (const entry of owner.parked.splice(0)) push(entry);
    },

    /** Runs entries in order until the work is done. @param afterEach called after each entry. */
    async runUntil(work: Promise<unknown>, afterEach: () => void): Promise<void> {
      let isDone = false;
      let failure: { error: unknown } | undefined;
      work.then(
        () => {
          isDone = true;
        },
        (error: unknown) => {
          failure = { error };
          isDone = true;
        },
      );
      await settle();
      while (!isDone) {
        const entry = pop();
        if (entry === undefined) throw new Error("Nothing is left to do, but the work is not done.");
        const { owner } = entry;
        if (entry.isCancelled || owner?.isDead) continue;
        if (owner?.isFrozen) {
          owner.parked.push(entry);
          continue;
        }
        now = Math.max(now, entry.at);
        steps++;
        if (steps > MAX_STEPS) throw new Error(`The simulation has not ended after ${MAX_STEPS} steps.`);
        if (owner === undefined) entry.run();
        else owners.run(owner, entry.run);
        await settle();
        afterEach();
      }
      if (failure !== undefined) throw failure.error;
    },
  };
};

let active: Scheduler | undefined;

/** The scheduler of the simulation that runs. */
const scheduler = (): Scheduler => {
  if (active === undefined) throw new Error("No simulation runs.");
  return active;
};

const RealDate = Date;
const clock = (): number =>
  active === undefined ? RealDate.now() : active.now() + (owners.getStore()?.clockOffsetMs ?? 0);

class SimulatedDate extends RealDate {
  // biome-ignore lint/suspicious/noExplicitAny: the constructor of Date has several forms.
  constructor(...args: any[]) {
    // @ts-expect-error the forms of Date's constructor
    super(...(args.length === 0 ? [clock()] : args));
  }

  static override now(): number {
    return clock();
  }
}

const timer = (run: () => void, ms = 0) => {
  const cancel = scheduler().after(ms, AsyncLocalStorage.bind(run), owners.getStore());
  const handle = { cancel, unref: () => handle, ref: () => handle, hasRef: () => true };
  return handle;
};

const randomBytes = (size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, () => Math.floor(scheduler().random() * 256)));

/** Made once, because its stack costs more than the call that it ends. */
const timedOut = new DOMException("The operation timed out", "TimeoutError");

/** Replaces clock, timers and randomness of the process. Call it before the product is imported. */
export const installTime = (): void => {
  const replaced = {
    setTimeout: (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => timer(() => run(...args), ms),
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => timer(() => run(...args)),
    clearTimeout: (handle?: { cancel?: () => void }) => handle?.cancel?.(),
  };
  Object.assign(globalThis, replaced, { Date: SimulatedDate });
  Object.assign(callbackTimers, replaced);
  Object.assign(timers, {
    setTimeout: <Value>(ms: number, value?: Value) => new Promise((resolve) => void timer(() => resolve(value), ms)),
  });
  Object.assign(crypto, {
    randomBytes,
    randomUUID: () => crypto.createHash("md5").update(randomBytes(16)).digest("hex"),
  });
  Math.random = () => scheduler().random();
  AbortSignal.timeout = (ms: number) => {
    const controller = new AbortController();
    timer(() => controller.abort(timedOut), ms);
    return controller.signal;
  };
  syncBuiltinESMExports();
};

/** Makes a scheduler the process's time. */
export const activate = (made: Scheduler | undefined): void => {
  active = made;
};
