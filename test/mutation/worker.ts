/**
 * A process that runs test files with faults switched on. Each run loads the project's modules again, so that no state
 * passes from one run to the next. Packages and the local cloud stay loaded.
 */

import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { instrument, root, type Switches, switchesName } from "./instrument.ts";
import { ranOutOfTime, runTests, type TestOutcome } from "./run-tests.ts";
import { collectTests } from "./test-globals.ts";

/** Which tests of a file to run; all of them if `tests` is left out. `timeLimit` in milliseconds. */
export type FilePlan = { file: string; tests?: number[]; timeLimit: number; loopLimit: number };

export type Request =
  | { kind: "instrument"; files: string[] }
  | { kind: "cover"; file: string }
  | { kind: "mutant"; id: string; plan: FilePlan[] };

/** What a test file does without a fault. `reached` are ids of faults whose code it ran, `loaded` those that every test needs. */
export type Coverage = {
  file: string;
  loaded: string[];
  tests: { title: string; milliseconds: number; reached: string[] }[];
  rounds: number;
  /** Whether a test depends on an earlier one of its file, so that only the whole file can run. */
  isWhole: boolean;
  failure?: string;
};

export type Verdict = { caughtBy?: { file: string; title: string; message: string }; isSpent: boolean };

export type Reply = { coverage: Coverage } | { verdict: Verdict } | { ready: true } | { failure: string };

const reloaded = ["shared", "functions", "test"].map((folder) => `${pathToFileURL(join(root, folder)).href}/`);
const own = pathToFileURL(import.meta.dirname).href;
const instrumented = new Set<string>();
const sources = new Map<string, string>();
let generation = 0;

const isReloaded = (url: string): boolean =>
  reloaded.some((folder) => url.startsWith(folder)) && !url.startsWith(own) && url.endsWith(".ts");

const sourceOf = (url: string): string => {
  const known = sources.get(url);
  if (known !== undefined) return known;
  const file = relative(root, fileURLToPath(url));
  const text = instrumented.has(file) ? instrument(file).source : readFileSync(join(root, file), "utf8");
  const source = stripTypeScriptTypes(text);
  sources.set(url, source);
  return source;
};

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "@jest/globals") return next(`${own}/test-globals.ts`, context);
    const isOfEngine = /\/(?:test-dynamodb|watchdog)\.ts$/.test(specifier);
    if (isOfEngine && context.parentURL?.includes("/test/support/embedded-dynamodb.ts")) {
      return next(`${own}/warm-engine.ts`, context);
    }
    const resolved = next(specifier, context);
    if (!isReloaded(resolved.url)) return resolved;
    return { ...resolved, url: `${resolved.url}?generation=${generation}` };
  },
  load(url, context, next) {
    const [file = "", query] = url.split("?generation=");
    if (query === undefined) return next(url, context);
    return { format: "module", source: sourceOf(file), shortCircuit: true };
  },
});

class LoopLimitError extends Error {}

type Run = { outcomes: TestOutcome[]; loaded: string[]; reached: Map<number, Set<string>>; rounds: number };

const runFile = async (
  plan: FilePlan,
  { active, isCovering }: { active?: string; isCovering: boolean },
): Promise<Run> => {
  generation++;
  const loaded = new Set<string>();
  const reached = new Map<number, Set<string>>();
  let hits = loaded;
  let rounds = 0;
  let most = 0;
  const switches: Switches = {
    m: isCovering
      ? (id) => {
          hits.add(id);
          return false;
        }
      : (id) => id === active,
    l: () => {
      if (++rounds > plan.loopLimit) throw new LoopLimitError("a loop does not end");
    },
  };
  Object.assign(globalThis, { [switchesName]: switches });
  const suite = await collectTests(() => import(pathToFileURL(join(root, plan.file)).href));
  const outcomes = await runTests(suite, {
    ...(plan.tests !== undefined && { only: new Set(plan.tests) }),
    stopAtFailure: !isCovering,
    timeLimit: plan.timeLimit,
    onStart: (test) => {
      most = Math.max(most, rounds);
      rounds = 0;
      hits = test === undefined ? loaded : new Set();
      if (test !== undefined) reached.set(test, hits);
    },
  });
  return { outcomes, loaded: [...loaded], reached, rounds: Math.max(most, rounds) };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const generous = { timeLimit: 120_000, loopLimit: Number.POSITIVE_INFINITY };

const cover = async (file: string): Promise<Coverage> => {
  const run = await runFile({ file, ...generous }, { isCovering: true });
  const failed = run.outcomes.find(({ error }) => error !== undefined);
  const tests = run.outcomes.map(({ test, title, milliseconds }) => ({
    title,
    milliseconds,
    reached: [...(run.reached.get(test) ?? [])],
  }));
  const coverage = { file, loaded: run.loaded, tests, rounds: run.rounds, isWhole: false };
  if (failed !== undefined) return { ...coverage, failure: `${failed.title}: ${messageOf(failed.error)}` };
  // Every other test, then the others: a test that needs its predecessor fails in one of the two halves.
  for (const half of [0, 1]) {
    const chosen = tests.map((_, index) => index).filter((index) => index % 2 === half);
    const { outcomes } = await runFile({ file, tests: chosen, ...generous }, { isCovering: false });
    if (outcomes.some(({ error }) => error !== undefined)) coverage.isWhole = true;
  }
  return coverage;
};

const judge = async (id: string, plan: readonly FilePlan[]): Promise<Verdict> => {
  for (const part of plan) {
    try {
      const { outcomes } = await runFile(part, { active: id, isCovering: false });
      const failed = outcomes.find(({ error }) => error !== undefined);
      if (failed !== undefined) {
        const caughtBy = { file: part.file, title: failed.title, message: messageOf(failed.error) };
        return { caughtBy, isSpent: ranOutOfTime(failed) };
      }
    } catch (error) {
      // The modules cannot even be loaded.
      return { caughtBy: { file: part.file, title: "(loading)", message: messageOf(error) }, isSpent: false };
    }
  }
  return { isSpent: false };
};

const memoryLimitBytes = 900 * 2 ** 20;
const answer = async (request: Request): Promise<Reply> => {
  if (request.kind === "instrument") {
    for (const file of request.files) instrumented.add(file);
    return { ready: true };
  }
  if (request.kind === "cover") return { coverage: await cover(request.file) };
  const verdict = await judge(request.id, request.plan);
  return { verdict: { ...verdict, isSpent: verdict.isSpent || process.memoryUsage.rss() > memoryLimitBytes } };
};

process.on("message", (request: Request) => {
  // For example, a test file that cannot be loaded.
  const failed = (error: unknown): Reply => ({ failure: messageOf(error) });
  void answer(request)
    .catch(failed)
    .then((reply) => process.send?.(reply));
});
// Faults leave promises behind that fail later. Only the tests decide.
process.on("unhandledRejection", () => {});
process.on("uncaughtException", () => {});
process.on("disconnect", () => process.exit());
