/**
 * Stands in for `@jest/globals` in the mutation test: one process loads and runs a test file again for each fault. Jest
 * itself needs about a second for each run. Not supported: module mocks and snapshots.
 */
import { format } from "node:util";
import { ModernFakeTimers } from "@jest/fake-timers";
import { expect } from "expect";
import { ModuleMocker } from "jest-mock";

type Body = () => unknown;
type Hooks = { beforeAll: Body[]; beforeEach: Body[]; afterEach: Body[]; afterAll: Body[] };
export type Test = { title: string; body: Body };
export type Suite = { title: string; hooks: Hooks; children: (Suite | Test)[] };

const newSuite = (title: string): Suite => ({
  title,
  hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] },
  children: [],
});

let current = newSuite("");

/** Collects the tests that `load` declares. */
export const collectTests = async (load: () => Promise<unknown>): Promise<Suite> => {
  const suite = newSuite("");
  current = suite;
  cleanUp();
  await load();
  return suite;
};

const declareSuite = (title: string, body: Body): void => {
  const [outer, suite] = [current, newSuite(title)];
  outer.children.push(suite);
  current = suite;
  body();
  current = outer;
};
const declareTest = (title: string, body: Body): void => void current.children.push({ title, body });

/** `each` of both: a row that is a list is spread into the arguments. */
const eachOf =
  (declare: (title: string, body: Body) => void) =>
  (table: readonly unknown[]) =>
  (title: string, body: (...row: unknown[]) => unknown): void => {
    const areLists = table.every(Array.isArray);
    for (const entry of table) {
      const row: unknown[] = areLists && Array.isArray(entry) ? entry : [entry];
      const placeholders = title.match(/%[sdifjoOp]/g)?.length ?? 0;
      declare(format(title.replaceAll("%p", "%j"), ...row.slice(0, placeholders)), () => body(...row));
    }
  };

export const describe = Object.assign(declareSuite, { each: eachOf(declareSuite) });
export const it = Object.assign(declareTest, { each: eachOf(declareTest) });

const hook =
  (name: keyof Hooks) =>
  (body: Body): void =>
    void current.hooks[name].push(body);
export const beforeAll = hook("beforeAll");
export const beforeEach = hook("beforeEach");
export const afterEach = hook("afterEach");
export const afterAll = hook("afterAll");

const mocker = new ModuleMocker(globalThis);
type TimerConfig = ConstructorParameters<typeof ModernFakeTimers>[0]["config"];
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {} } as TimerConfig });

/** What a test that ended early may have left behind. */
const cleanUp = (): void => {
  timers.useRealTimers();
  mocker.restoreAllMocks();
};
export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  mocked: <Value>(value: Value): Value => value,
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: timers.useRealTimers.bind(timers),
  advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
  getTimerCount: timers.getTimerCount.bind(timers),
};
export { expect };
