/**
 * What a run of tests tried, in one table at its end. Suites run in several processes, so each appends its trials to a file
 * in the run's temporary directory. `npm run test:deep` prints their sums (global-teardown.ts).
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const columns = ["tried", "lost", "doubled", "leaked", "failed"] as const;

/**
 * What a suite tried under a name, and how many of these trials went wrong. `lost`: acknowledged work is missing;
 * `doubled`: work was done twice; `leaked`: an answer has another organization's data, or internals of the service;
 * `failed`: an answer has a 5xx status that the OpenAPI document does not have.
 */
export type Trials = { name: string } & Record<(typeof columns)[number], number>;

const file = () => join(tmpdir(), "trials.jsonl");

export const addTrials = (trials: Trials): void => appendFileSync(file(), `${JSON.stringify(trials)}\n`);

/** One row per name, and one with the sums of all. */
const summarise = (all: readonly Trials[]): Trials[] => {
  const rows = new Map<string, Trials>();
  for (const { name: own, ...trials } of all) {
    for (const name of [own, "all"]) {
      const row = rows.get(name) ?? { name, tried: 0, lost: 0, doubled: 0, leaked: 0, failed: 0 };
      for (const column of columns) row[column] += trials[column];
      rows.set(name, row);
    }
  }
  return [...rows.values()].sort((one, other) => Number(one.name === "all") - Number(other.name === "all"));
};

/** The table of all trials of this run; undefined without trials. */
export const renderTrials = (): string | undefined => {
  if (!existsSync(file())) return undefined;
  const lines = readFileSync(file(), "utf8").trimEnd().split("\n");
  const rows = summarise(lines.map((line) => JSON.parse(line) as Trials));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const cells = (name: string, numbers: readonly (string | number)[]) =>
    [name.padEnd(width), ...numbers.map((number) => String(number).padStart(8))].join("");
  return [
    cells("tried under faults", columns),
    ...rows.map((row) =>
      cells(
        row.name,
        columns.map((one) => row[one]),
      ),
    ),
  ].join("\n");
};
