import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { functionsByRoute, readDeployedStack } from "../deployed-function.ts";
import { judgedRow, type Measurement, plainRow, type Row } from "../row.ts";

/** A function with the DynamoDB client, in KB of 1,000 bytes. */
const BUDGET = { limit: 310, stretch: 60 };
const GZIP_BUDGET = { limit: 100, stretch: 20 };

/** This file is loaded at the first refusal, not at a cold start (infra/build.ts). */
const DEFERRED = "refusals.cjs";

const sizesOf = (directory: string, files: readonly string[]) => {
  const contents = files.map((file) => readFileSync(join(directory, file)));
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0) / 1000;
  return {
    size: sum(contents.map(({ length }) => length)),
    gzipped: sum(contents.map((content) => gzipSync(content, { level: 9 }).length)),
  };
};

export const measurement: Measurement = {
  title: "Bundles, in KB",
  measure: async (bench) => {
    const rows: Row[] = [];
    for (const [routeKey, { codeDirectory }] of functionsByRoute(await readDeployedStack(bench))) {
      const files = readdirSync(codeDirectory);
      const { size, gzipped } = sizesOf(
        codeDirectory,
        files.filter((file) => file !== DEFERRED),
      );
      const whole = sizesOf(codeDirectory, files);
      rows.push(
        judgedRow(routeKey, size, BUDGET, { measured: size.toFixed(1) }),
        judgedRow(`${routeKey}, gzip`, gzipped, GZIP_BUDGET, { measured: gzipped.toFixed(1) }),
      );
      if (whole.size > size) {
        const measured = `${whole.size.toFixed(1)}, gzip ${whole.gzipped.toFixed(1)}`;
        rows.push(plainRow(`${routeKey}, with what a refusal loads`, measured));
      }
    }
    return rows;
  },
};
