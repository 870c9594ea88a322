import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";

type Startable = { stop?: () => unknown; close?: () => unknown };

/** Stands for the object of the running file or test: every access reaches the current one. */
const standFor = <Thing extends object>(current: () => Thing): Thing =>
  new Proxy({} as Thing, {
    get: (_, name) => {
      const value: unknown = Reflect.get(current(), name);
      return typeof value === "function" ? value.bind(current()) : value;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(current(), name);
      return found && { ...found, configurable: true };
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(current()),
  });

const use = <Thing extends object>(
  start: () => Thing | Promise<Thing>,
  before: typeof beforeAll,
  after: typeof afterAll,
): Thing => {
  let started: Thing | undefined;
  before(async () => {
    started = await start();
  });
  after(async () => {
    const { stop, close } = (started ?? {}) as Startable;
    await (stop ?? close)?.call(started);
  });
  return standFor(() => {
    if (started === undefined) throw new Error("It starts before the tests; use it in a test or a hook.");
    return started;
  });
};

/** Starts something before the tests of a file or `describe`, and calls its `stop` or `close`, if it has one, after them. */
export const usePerFile = <Thing extends object>(start: () => Thing | Promise<Thing>): Thing =>
  use(start, beforeAll, afterAll);

/** Starts something before each test, and calls its `stop` or `close`, if it has one, after the test. */
export const usePerTest = <Thing extends object>(start: () => Thing | Promise<Thing>): Thing =>
  use(start, beforeEach, afterEach);
