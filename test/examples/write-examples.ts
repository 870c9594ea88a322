/**
 * `npm run examples`: records the examples of the OpenAPI document again (shared/api/examples.json). An example whose shape is
 * as before keeps its values, so the file changes only where the service did.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareAssembly } from "../../infra/prepare-assembly.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { startService } from "../support/service.ts";
import { type Examples, recordExamples } from "./record-examples.ts";
import { haveSameShape } from "./shape.ts";

const file = join(import.meta.dirname, "..", "..", "shared", "api", "examples.json");
const committed = JSON.parse(readFileSync(file, "utf8")) as Examples;

await prepareAssembly(assemblyDirectory);
const service = await startService();
try {
  const recorded = await recordExamples(service);
  const changed: string[] = [];
  for (const [operation, examples] of Object.entries(recorded)) {
    for (const [name, example] of Object.entries(examples)) {
      const before = committed[operation]?.[name];
      if (before !== undefined && haveSameShape(before, example)) examples[name] = before;
      else changed.push(`${operation}: ${name}`);
    }
  }
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
  const count = Object.values(recorded).flatMap(Object.keys).length;
  console.log(
    `${count} examples, ${changed.length} of them new or changed${changed.map((one) => `\n  ${one}`).join("")}`,
  );
} finally {
  await service.stop();
}
