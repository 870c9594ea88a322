/** What the benchmark prints, and what a file of rows gives it. A later subject adds rows by adding a file to rows/. */
import type { Options } from "./options.ts";

export type Verdict = "met" | "stretch met" | "missed" | "undecided" | "";

export type Row = { metric: string; budget: string; measured: string; verdict: Verdict };

/** What all rows are measured on. */
export type Bench = {
  options: Options;
  /** The assembly that a deployment would upload, freshly built and synthesised. */
  assemblyDirectory: string;
  /** A folder of this run's own. */
  workDirectory: string;
  /** Says what goes on, on stderr. */
  progress: (text: string) => void;
};

/** The export `measurement` of every file under rows/. */
export type Measurement = { title: string; measure: (bench: Bench) => Promise<Row[]> };

export type Budget = { limit: number; stretch?: number };

/** @param sure whether the numbers are known well enough to judge them. */
export const judge = (value: number, { limit, stretch }: Budget, sure = true): Verdict => {
  if (!sure) return "undecided";
  if (stretch !== undefined && value <= stretch) return "stretch met";
  return value <= limit ? "met" : "missed";
};

/** `≤ 2.4 (1.8)`: the budget, and the stretch in brackets. */
export const budgetText = ({ limit, stretch }: Budget, unit = ""): string =>
  `≤ ${limit}${stretch === undefined ? "" : ` (${stretch})`}${unit && ` ${unit}`}`;
