import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { functionsByRoute, readDeployedStack } from "../deployed-function.ts";
import { budgetText, judge, type Measurement, type Row } from "../row.ts";

/** A function with the DynamoDB client, in KB of 1,000 bytes. */
const BUDGET = { limit: 310, stretch: 60 };
const GZIP_BUDGET = { limit: 100, stretch: 20 };

export const measurement: Measurement = {
  title: "Bundles, in KB",
  measure: async (bench) => {
    const rows: Row[] = [];
    for (const [routeKey, { codeDirectory }] of functionsByRoute(await readDeployedStack(bench))) {
      const files = readdirSync(codeDirectory).map((file) => readFileSync(join(codeDirectory, file)));
      const size = files.reduce((sum, file) => sum + file.length, 0) / 1000;
      const gzipped = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0) / 1000;
      rows.push(
        { metric: routeKey, budget: budgetText(BUDGET), measured: size.toFixed(1), verdict: judge(size, BUDGET) },
        {
          metric: `${routeKey}, gzip`,
          budget: budgetText(GZIP_BUDGET),
          measured: gzipped.toFixed(1),
          verdict: judge(gzipped, GZIP_BUDGET),
        },
      );
    }
    return rows;
  },
};
