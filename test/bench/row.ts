/** The rows that the benchmark prints. To add rows, add a file to rows/ that exports `measurement`. */
import type { Options } from "./options.ts";

export type Verdict = "met" | "stretch met" | "missed" | "undecided" | "";

export type Row = { metric: string; budget: string; measured: string; verdict: Verdict };

/** The input of all measurements. */
export type Bench = {
  options: Options;
  /** The assembly that a deployment would upload, freshly built and synthesised. */
  assemblyDirectory: string;
  /** A separate directory for this run. */
  workDirectory: string;
  /** Writes progress to stderr. */
  progress: (text: string) => void;
};

/** The export `measurement` of every file under rows/. */
export type Measurement = { title: string; measure: (bench: Bench) => Promise<Row[]> };

export type Budget = { limit: number; stretch?: number };

/** @param sure whether the uncertainty of the numbers is low enough to judge them. */
export const judge = (value: number, { limit, stretch }: Budget, sure = true): Verdict => {
  if (!sure) return "undecided";
  if (stretch !== undefined && value <= stretch) return "stretch met";
  return value <= limit ? "met" : "missed";
};

/** With two decimals. */
export const round = (value: number): number => Math.round(value * 100) / 100;

/** A row without a budget. */
export const plainRow = (metric: string, measured: string): Row => ({ metric, budget: "", measured, verdict: "" });

/** A row that is judged. `measured` is what the table shows: the rounded value with its unit, if left out. */
export const judgedRow = (
  metric: string,
  value: number,
  budget: Budget,
  { unit = "", measured = `${round(value)} ${unit}`.trim() }: { unit?: string; measured?: string } = {},
): Row => ({ metric, budget: budgetText(budget, unit), measured, verdict: judge(value, budget) });

/** `≤ 2.4 (1.8)`: the budget, and the stretch in brackets. */
export const budgetText = ({ limit, stretch }: Budget, unit = ""): string =>
  `≤ ${limit}${stretch === undefined ? "" : ` (${stretch})`}${unit && ` ${unit}`}`;
