/**
 * `npm run check:ocsf -- <directory>` validates our events against the published schema: a checkout of
 * https://github.com/ocsf/ocsf-schema at the commit of a version. It exits with 1 if an event is not valid.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { OCSF_VERSION } from "../../shared/security/ocsf/ocsf-event.ts";
import { toOcsf } from "../../shared/security/ocsf/to-ocsf.ts";
import { fc } from "../support/fixed-seed.ts";
import { compileOcsf } from "../support/ocsf-schema.ts";
import { allKindsOfEvents, arbitraryOcsfSource } from "../support/ocsf-sources.ts";

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name the directory of a checkout of ocsf/ocsf-schema.");
const { version, schemaOfClass } = compileOcsf(directory);
const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = new Map<number, ReturnType<typeof ajv.compile>>();
const events = [...allKindsOfEvents, ...fc.sample(arbitraryOcsfSource, 20_000)];
const problems = new Map<string, number>();
for (const event of events) {
  const mapped = toOcsf(event);
  const validate = validators.get(mapped.class_uid) ?? ajv.compile(schemaOfClass(mapped.class_uid));
  validators.set(mapped.class_uid, validate);
  if (validate(mapped)) continue;
  for (const { instancePath, message, params } of validate.errors ?? []) {
    const problem = `${mapped.class_uid} ${instancePath}: ${message} ${JSON.stringify(params)}`;
    problems.set(problem, (problems.get(problem) ?? 0) + 1);
  }
}
for (const [problem, times] of problems) process.stdout.write(`${times} × ${problem}\n`);
if (version !== OCSF_VERSION)
  process.stdout.write(`The checkout is version ${version}, our events are ${OCSF_VERSION}.\n`);
process.stdout.write(`${events.length} events of ${validators.size} classes, ${problems.size} problems.\n`);
process.exitCode = problems.size === 0 ? 0 : 1;
