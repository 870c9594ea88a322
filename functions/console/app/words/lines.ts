/** Texts with one element in each line. Pure. */

/** The lines without space around them; empty ones are left out. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
