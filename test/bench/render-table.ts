import type { Row } from "./row.ts";

const columns = ["metric", "budget", "measured", "verdict"] as const;

/** A Markdown table whose columns also line up in a terminal. */
export const renderTable = (title: string, rows: readonly Row[]): string => {
  const width = (column: (typeof columns)[number]) => Math.max(column.length, ...rows.map((row) => row[column].length));
  const line = (cells: (column: (typeof columns)[number]) => string) =>
    `| ${columns.map((column) => cells(column).padEnd(width(column))).join(" | ")} |`;
  const rule = `|${columns.map((column) => "-".repeat(width(column) + 2)).join("|")}|`;
  return [
    `## ${title}`,
    "",
    line((column) => column),
    rule,
    ...rows.map((row) => line((column) => row[column])),
    "",
  ].join("\n");
};
