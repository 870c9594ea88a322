import { relative } from "node:path";

const SHOWN = 10;

type Suite = { testFilePath: string; perfStats: { runtime: number } };

/** A reporter of jest: prints the suites that took longest, at the end of a run with more than ten. */
class SlowestSuites {
  onRunComplete(_contexts: unknown, { testResults }: { testResults: readonly Suite[] }): void {
    if (testResults.length <= SHOWN) return;
    const slowest = testResults.toSorted((one, other) => other.perfStats.runtime - one.perfStats.runtime);
    const lines = slowest
      .slice(0, SHOWN)
      .map(
        ({ perfStats, testFilePath }) =>
          `${(perfStats.runtime / 1_000).toFixed(1).padStart(7)} s  ${relative("", testFilePath)}`,
      );
    console.log(`\nThe slowest suites:\n${lines.join("\n")}`);
  }
}

// biome-ignore lint/style/noDefaultExport: jest requires it.
export default SlowestSuites;
