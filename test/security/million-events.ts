/**
 * `npm run test:million`: measures each query with 10,000, 100,000 and 1,000,000 events of one organization in the
 * embedded engine, and compares each answer with a brute-force count. Takes some minutes and 3 GB. Exits with 1 if an
 * answer is wrong. `npm run test:million 1000 10000` measures other sizes.
 */
import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { build } from "../../infra/build.ts";
import { synthesise } from "../../infra/synth.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { startTables } from "../support/service-tables.ts";
import { measureCall } from "./measure-call.ts";
import { measuredQueries } from "./measured-queries.ts";
import { EVENTS, makeStage, NOW, ROLLUPS, type Stage, storesOf } from "./stage.ts";

const sizes = process.argv.slice(2).map(Number);
const totals = sizes.length > 0 ? sizes : [10_000, 100_000, 1_000_000];

const print = (line: string) => process.stdout.write(`${line}\n`);
const row = (cells: readonly string[]) => print(`| ${cells.join(" | ")} |`);

await build();
await rm(assemblyDirectory, { recursive: true, force: true });
await synthesise(assemblyDirectory);
const database = await startTables(EVENTS, ROLLUPS);
let wrong = 0;
try {
  const stages: Stage[] = [];
  for (const total of totals) {
    const stage = await makeStage(database.documentClient(), total);
    const { write, close } = stage.seconds;
    print(
      `${total} events over 90 days to ${new Date(NOW).toISOString()}: ${write.toFixed(0)} s to write, ${close.toFixed(0)} s to close`,
    );
    stages.push(stage);
  }
  print("");
  row(["Question", ...totals.map((total) => `${total} events`)]);
  row(["---", ...totals.map(() => "---")]);
  for (const { title, ask, expect } of measuredQueries) {
    const cells: string[] = [];
    for (const stage of stages) {
      const client = database.documentClient();
      const stores = storesOf(client);
      const { answer, units, eventUnits, milliseconds, atOnce } = await measureCall(client, () => ask(stores, stage));
      const isRight = isDeepStrictEqual(answer, expect(stage));
      if (!isRight) wrong++;
      cells.push(
        `${units} units, ${eventUnits} of them events, ${milliseconds.toFixed(0)} ms, ${atOnce} at once${isRight ? "" : ", WRONG"}`,
      );
    }
    row([title, ...cells]);
  }
  print(
    wrong === 0
      ? "\nEvery answer equals its brute-force count."
      : `\n${wrong} answers differ from the brute-force count.`,
  );
} finally {
  await database.stop();
}
if (wrong > 0) process.exitCode = 1;
