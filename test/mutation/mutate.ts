/**
 * `npm run mutate`: plants faults in the code one by one and reports those that no unit test catches.
 * `npm run mutate -- --help` lists the options; docs/testing.md explains the result.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepareAssembly } from "../../infra/prepare-assembly.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { createRandom } from "../support/random.ts";
import { makeTemporaryDirectory } from "../support/temporary-directory.ts";
import { instrument, type Mutant, root } from "./instrument.ts";
import { type Judged, judgeSubject } from "./judge-subject.ts";
import { subjectNames, subjectOf } from "./subjects.ts";

const usage = `Usage: npm run mutate -- [options]

Plants small faults in the code, one at a time, and runs the unit tests that reach the changed code.
Fails if a fault survives that test/mutation/survivors.json does not list, if a listed fault is caught or no longer
exists, or if less than 90 % of the faults of a subject are caught.

  --only <subject>    one subject (may be repeated): ${subjectNames.join(", ")}
  --file <path>       faults of one file only
  --mutant <id>       one fault (may be repeated): prints its change and the test that catches it
  --sample <number>   this many faults of each subject, chosen by --seed
  --seed <number>     default 1
  --workers <number>  default: the number of processors
  --help`;

type Survivor = { id: string; change: string; reason: string };
/** Survivors by file; each reason begins with its kind. */
type SurvivorList = Record<string, Survivor[]>;

const leastShare = 0.9;
const listFile = join(import.meta.dirname, "survivors.json");

/** The change on one line. */
const changeOf = ({ original, replacement }: Mutant): string => {
  const shorten = (text: string): string => {
    const line = text.replaceAll(/\s+/g, " ");
    return line.length > 90 ? `${line.slice(0, 60)} … ${line.slice(-25)}` : line;
  };
  return `${shorten(original)} → ${shorten(replacement) || "(left out)"}`;
};
const placeOf = ({ file, line }: Mutant): string => `${file}:${line}`;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: subjectNames },
    file: { type: "string" },
    mutant: { type: "string", multiple: true },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: String(availableParallelism()) },
    help: { type: "boolean", default: false },
  },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const showProgress = (text: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}`);
};

/** The change as a unified diff of its lines. */
const diffOf = (mutant: Mutant): string => {
  const lines = readFileSync(join(root, mutant.file), "utf8").split("\n");
  const before = lines.slice(mutant.line - 1, mutant.line - 1 + mutant.original.split("\n").length);
  const after = before
    .join("\n")
    .replace(mutant.original, () => mutant.replacement)
    .split("\n");
  const body = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return [`--- ${mutant.file}`, `+++ ${mutant.file}`, `@@ line ${mutant.line}, ${mutant.operator} @@`, ...body].join(
    "\n",
  );
};

const chooser = (): ((mutants: Mutant[]) => Mutant[]) => {
  const { file, mutant, sample } = values;
  if (mutant !== undefined) return (mutants) => mutants.filter(({ id }) => mutant.includes(id));
  if (file !== undefined) return (mutants) => mutants.filter((one) => one.file === file);
  if (sample === undefined) return (mutants) => mutants;
  const random = createRandom(Number(values.seed));
  return (mutants) =>
    mutants
      .map((one) => ({ one, order: random() }))
      .toSorted((left, right) => left.order - right.order)
      .slice(0, Number(sample))
      .map(({ one }) => one);
};

const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;

const printTable = (rows: string[][]): void => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    print(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    );
  }
};

const rowOf = (name: string, judged: readonly Judged[]): string[] => {
  const caught = judged.filter(({ caughtBy }) => caughtBy !== undefined).length;
  return [name, String(judged.length), String(caught), String(judged.length - caught), percent(caught, judged.length)];
};

const main = async (): Promise<number> => {
  const isWhole = values.file === undefined && values.mutant === undefined && values.sample === undefined;
  const list: SurvivorList = JSON.parse(readFileSync(listFile, "utf8"));
  const listed = new Set(Object.values(list).flatMap((survivors) => survivors.map(({ id }) => id)));
  let problems = 0;
  const report = (problem: string): void => {
    problems++;
    showProgress("");
    print(problem);
  };
  const all: Judged[] = [];
  const rows = [["", "faults", "caught", "survived", "caught"]];
  makeTemporaryDirectory();
  await prepareAssembly(assemblyDirectory);
  const choose = chooser();
  const onJudged = (one: Judged): void => {
    const isCaught = one.caughtBy !== undefined;
    if (isCaught && listed.has(one.id)) report(`${one.id} is listed but caught: remove it from the list`);
    if (isCaught || listed.has(one.id)) return;
    const reached = one.reaching === 0 ? "no test runs this code" : `${one.reaching} tests run this code`;
    report(`${one.id} survived at ${placeOf(one)} (${one.operator}): ${changeOf(one)} [${reached}]`);
  };
  for (const name of values.only) {
    const subject = subjectOf(name);
    const started = performance.now();
    const judged = await judgeSubject(subject, {
      workers: Number(values.workers),
      choose,
      onProgress: showProgress,
      onJudged,
    });
    if (judged.length === 0) continue;
    showProgress("");
    print(`${name}: ${judged.length} faults in ${Math.round((performance.now() - started) / 1000)} s`);
    all.push(...judged);
    rows.push(rowOf(name, judged));
    for (const file of subject.files) {
      const ofFile = judged.filter((one) => one.file === file);
      if (ofFile.length > 0) rows.push(rowOf(`  ${file}`, ofFile));
    }
    const caught = judged.filter(({ caughtBy }) => caughtBy !== undefined).length;
    if (isWhole && caught < leastShare * judged.length) {
      report(`${name}: ${percent(caught, judged.length)} caught, at least ${percent(leastShare, 1)} required`);
    }
    if (isWhole) {
      const ids = new Set(subject.files.flatMap((file) => instrument(file).mutants.map(({ id }) => id)));
      for (const { id, change } of subject.files.flatMap((file) => list[file] ?? [])) {
        if (!ids.has(id)) report(`${id} is listed but no longer exists (${change}): remove it from the list`);
      }
    }
  }
  if (values.mutant !== undefined && all.length === 0) throw new Error(`${values.mutant}: no fault has this id`);
  const [only] = all;
  if (only !== undefined && values.mutant?.length === 1) {
    print(diffOf(only));
    const { caughtBy, reaching } = only;
    print(
      caughtBy === undefined
        ? `survived ${reaching} tests`
        : `caught by ${caughtBy.file}\n  ${caughtBy.title}\n${caughtBy.message}`,
    );
  } else printTable([...rows, rowOf("all", all)]);

  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(
    join(root, ".cache", "mutation.json"),
    JSON.stringify(
      all.map((one) => ({ ...one, change: changeOf(one) })),
      null,
      1,
    ),
  );
  return problems === 0 ? 0 : 1;
};

if (values.help) print(usage);
else process.exitCode = await main();
