/**
 * `npm run restore`: restores a table of a deployment to an earlier time, compares it, and writes items back: docs/recovery.md.
 *
 *   npm run restore -- --stack plant-store-prod --table records --to 2026-11-27T12:00:00Z
 *   npm run restore -- --stack plant-store-prod --table records --to 2026-11-27T12:00:00Z --write missing
 *   npm run restore -- --stack plant-store-prod --table records --deleted
 *
 *   --stack NAME     the stack
 *   --table NAME     the table, by its name in shared/terms/tables.ts
 *   --to TIME        the point in time, in the last 7 days; the restored table gets a name of its own
 *   --restored NAME  a table that was restored to that time otherwise, such as by AWS Backup
 *   --write WHAT     missing: items that the live table lacks; different: also those that differ. Without it, nothing is written
 *   --deleted        brings a deleted table back under its name, as it was when it was deleted
 *   --region REGION  default: AWS_REGION, or the profile's
 *
 * Nothing of an organization whose data was erased after the point in time is written back, and erasures of users whom written
 * items name are repeated. Run it again if it fails: it continues. Exit code 0: done, 1: not done.
 */
import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { laterErasures, reopenErasure } from "../../shared/erasure/repeat-store.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { createTable } from "../../shared/runtime/table.ts";
import { type TableName, tables } from "../../shared/terms/tables.ts";
import { type CallAws, createAwsCaller } from "../aws/call-aws.ts";
import { failWith } from "../local/commands/fail-with.ts";
import { compareTables, type Write, writes } from "./compare.ts";
import { createErased } from "./erased-since.ts";
import { scanPages } from "./items.ts";
import { restoreDeleted, restoreToPoint, statusOf } from "./restored-table.ts";
import { resourcesOf } from "./stack-operations.ts";

const MINUTE_MS = 60_000;
/** Clocks differ, and the point in time is a second: erasures that ended a little before it are repeated, too. */
const MARGIN_MS = 5 * MINUTE_MS;

const isTable = (name: string): name is TableName => Object.hasOwn(tables, name);
const isWrite = (text: string): text is Write => (writes as readonly string[]).includes(text);

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      stack: { type: "string", default: "" },
      table: { type: "string", default: "" },
      to: { type: "string" },
      restored: { type: "string" },
      write: { type: "string", default: "none" },
      deleted: { type: "boolean", default: false },
      region: { type: "string" },
    },
  });
  const { stack, table, write, deleted, restored, region } = values;
  const to = new Date(values.to ?? "");
  if (stack === "") throw new Error("--stack is missing: give the stack's name");
  if (!isTable(table)) throw new Error(`--table: expected one of ${Object.keys(tables).join(", ")}`);
  if (!isWrite(write)) throw new Error(`--write: expected one of ${writes.join(", ")}`);
  if (!deleted && Number.isNaN(to.getTime())) throw new Error("--to: expected a time such as 2026-11-27T12:00:00Z");
  return { stack, table, to, write, deleted, restored, region };
};

/** The deployed names of tables. @throws Error if the stack has no such table */
const namesIn = async (call: CallAws, stack: string) => {
  const resources = await resourcesOf(call, stack);
  return (table: TableName): string => {
    const start = `Tables${table.replace(/^./, (first) => first.toUpperCase())}`;
    const isIt = (id: string) => id.startsWith(start) && /^[0-9A-F]{8}$/.test(id.slice(start.length));
    const name = resources.find((one) => isIt(one.LogicalResourceId))?.PhysicalResourceId;
    if (name === undefined) throw new Error(`The stack ${stack} has no table ${table}.`);
    return name;
  };
};

const run = async (): Promise<void> => {
  const { stack, table, to, write, deleted, restored: given, region: wanted } = readOptions();
  const client = new DynamoDBClient(wanted === undefined ? {} : { region: wanted });
  const { config: sdk } = client;
  const region = await sdk.region();
  const call = createAwsCaller({ region, credentials: sdk.credentials, endpointUrl: process.env.AWS_ENDPOINT_URL });
  const nameOf = await namesIn(call, stack);
  const name = nameOf(table);
  if (deleted) {
    if ((await statusOf(client, name)) !== undefined) throw new Error(`The table ${name} exists: use --to.`);
    await restoreDeleted(client, table, name);
    console.log(`${name} is back, with its settings. Run cdk diff: it must show no change of the table.`);
    return;
  }
  const restored = given ?? (await restoreToPoint(client, name, to));
  const erasures = nameOf("erasures");
  const items: { scope: string; key: string }[] = [];
  for await (const page of scanPages(client, erasures))
    items.push(...page.map((item) => unmarshall(item) as { scope: string; key: string }));
  const later = laterErasures(items, to.getTime() - MARGIN_MS);
  const open = later.filter(({ isOpen }) => isOpen);
  if (write !== "none" && open.length > 0)
    throw new Error(
      `${open.length} erasures are under way: wait until they have completed, and run the command again.`,
    );
  const erased = createErased(table, later);
  const counts = await compareTables(client, { table, name, restored }, { erased, write, now: Date.now() });
  console.log(`${restored}, compared with ${name}:`);
  for (const [what, count] of Object.entries(counts)) console.log(`  ${what.padEnd(9)} ${count}`);
  const repeated = erased.toRepeat();
  console.log(`${later.length} erasures completed after that time; ${repeated.length} of users whom the items name.`);
  if (write === "none") {
    console.log("Nothing was written: add --write missing, or --write different.");
    return;
  }
  const document = DynamoDBDocumentClient.from(client, documentTranslation);
  const store = createTable<"erasures">(document, erasures);
  for (const { erasure, userId } of repeated) await reopenErasure(store, erasure, userId);
  if (repeated.length > 0) console.log("They begin again within the hour, with resume-erasures.");
  console.log(`Delete ${restored} when all is well: it holds erased data, and costs its storage.`);
};

await run().catch(failWith);
