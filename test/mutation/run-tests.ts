import type { Suite, Test } from "./test-globals.ts";

export type TestOutcome = { test: number; title: string; milliseconds: number; error?: unknown };

type RunOptions = {
  /** The numbers of the tests to run, counted in the order of declaration; all if left out. */
  only?: ReadonlySet<number>;
  /** Ends the run after the first test that fails. */
  stopAtFailure: boolean;
  /** Milliseconds that a test or hook may take. */
  timeLimit: number;
  /** Called before the parts of each test run; `undefined` before hooks that several tests share. */
  onStart?: (test: number | undefined) => void;
};

// Tests may fake these.
const { setTimeout, clearTimeout } = globalThis;

class TimeLimitError extends Error {}

const limited = async (body: () => unknown, milliseconds: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError(`no end after ${milliseconds} ms`)), milliseconds);
  });
  try {
    await Promise.race([Promise.resolve(body()), limit]);
  } finally {
    clearTimeout(timer);
  }
};

/** Whether a test did not end in time; its work may still be running. */
export const ranOutOfTime = ({ error }: TestOutcome): boolean => error instanceof TimeLimitError;

/** Runs tests one after another with the hooks of their suites, as Jest does. */
export const runTests = async (suite: Suite, options: RunOptions): Promise<TestOutcome[]> => {
  const { only, stopAtFailure, timeLimit, onStart = () => {} } = options;
  const outcomes: TestOutcome[] = [];
  const numbers = new Map<Test, number>();
  const count = (node: Suite | Test): void => {
    if ("body" in node) numbers.set(node, numbers.size);
    else for (const child of node.children) count(child);
  };
  count(suite);
  const numberOf = (test: Test): number => numbers.get(test) ?? -1;
  const isWanted = (node: Suite | Test): boolean =>
    "body" in node ? (only?.has(numberOf(node)) ?? true) : node.children.some(isWanted);
  const isOver = (): boolean => stopAtFailure && outcomes.some(({ error }) => error !== undefined);

  const attempt = async (bodies: readonly (() => unknown)[]): Promise<{ error?: unknown }> => {
    try {
      for (const body of bodies) await limited(body, timeLimit);
      return {};
    } catch (error) {
      return { error: error ?? new Error("a test failed without an error") };
    }
  };

  const runTest = async (test: Test, path: readonly Suite[]): Promise<void> => {
    const started = performance.now();
    const number = numberOf(test);
    onStart(number);
    const before = path.flatMap(({ hooks }) => hooks.beforeEach);
    const after = path.toReversed().flatMap(({ hooks }) => hooks.afterEach);
    const result = await attempt([...before, test.body]);
    const cleared = await attempt(after);
    const title = [...path.map((outer) => outer.title), test.title].filter(Boolean).join(" › ");
    outcomes.push({ test: number, title, milliseconds: performance.now() - started, ...cleared, ...result });
  };

  const runSuite = async (node: Suite, outer: readonly Suite[]): Promise<void> => {
    if (!isWanted(node) || isOver()) return;
    const path = [...outer, node];
    onStart(undefined);
    const set = await attempt(node.hooks.beforeAll);
    if (set.error !== undefined) {
      outcomes.push({ test: -1, title: `${node.title} › beforeAll`, milliseconds: 0, ...set });
    } else {
      for (const child of node.children) {
        if (isOver()) break;
        if (!("body" in child)) await runSuite(child, path);
        else if (isWanted(child)) await runTest(child, path);
      }
    }
    onStart(undefined);
    const end = await attempt(node.hooks.afterAll);
    if (end.error !== undefined) {
      outcomes.push({ test: -1, title: `${node.title} › afterAll`, milliseconds: 0, ...end });
    }
  };
  await runSuite(suite, []);
  return outcomes;
};
