/** A step shorter than this leaves no line. */
const SHORT_MS = 1_000;

/** Runs a step of a start. `title` is a phrase such as "Building the functions". */
export type Step = <Result>(title: string, work: () => Promise<Result>) => Promise<Result>;

type Output = Pick<NodeJS.WriteStream, "write" | "isTTY">;

/**
 * Prints a line for each step that takes longer than a second: `Building the functions … 1.8 s`. On a terminal the title
 * stands there from the beginning of the step, and stays there if the step fails.
 */
export const createProgress =
  (output: Output = process.stderr, now: () => number = () => performance.now()): Step =>
  async (title, work) => {
    const start = now();
    if (output.isTTY) output.write(`${title} …`);
    const succeeded = await work().catch((error: unknown) => {
      if (output.isTTY) output.write("\n");
      throw error;
    });
    const took = now() - start;
    const line = took < SHORT_MS ? "" : `${title} … ${(took / 1_000).toFixed(1)} s\n`;
    // Returns to the beginning of the terminal's line, and erases it.
    output.write(output.isTTY ? `\r\x1b[K${line}` : line);
    return succeeded;
  };
