/**
 * The cost of syncs, measured with the worker without KMS, the provider's SDK, the simulator and the engine, all on this
 * machine. `npm run test:sync` measures the whole service with 100,000 objects.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { metafilePath } from "../../../infra/build.ts";
import { bundleDirectory } from "../../../infra/bundling/bundle-directory.ts";
import { createStripeAdapter } from "../../../shared/provider/stripe/adapter.ts";
import { recordTypes } from "../../../shared/records/record.ts";
import { systemClock } from "../../../shared/runtime/clock.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { createMeteredSync, METERED_TABLES } from "../../support/metered-sync.ts";
import { startTables } from "../../support/service-tables.ts";
import { unitsOfType } from "../../support/units-of-type.ts";
import { startSimulatedAccount } from "../mocks/simulated-account.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row } from "../row.ts";

const QUIET_READS: Budget = { limit: 1 };
const QUIET_UNITS: Budget = { limit: 15 };
const NEW_RECORD_WRITES: Budget = { limit: 3.1 };
const NEW_RECORD_READS: Budget = { limit: 0.7 };
const UNCHANGED_WRITES: Budget = { limit: 0 };
/** A function with the provider's SDK, in KB of 1,000 bytes. */
const BUNDLE: Budget = { limit: 515 };

const OBJECTS = 4_000;
const QUICK_OBJECTS = 800;
const CHANGES = 100;
/** The next run reads the feed's last minute again. At this interval that minute fits into one page. */
const CHANGE_EVERY_MS = 30_000;
const FOUR_HOURS_MS = 14_400_000;

/** An engine whose clients' writes of records are counted: puts and statements. */
const countingWrites = (engine: EmbeddedDynamoDb) => {
  let writes = 0;
  const documentClient: EmbeddedDynamoDb["documentClient"] = (translation) => {
    const client = engine.documentClient(translation);
    client.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          const { TableName, Statements = [] } = args.input as { TableName?: string; Statements?: unknown[] };
          if (commandName === "PutItemCommand" && TableName === "records") writes++;
          writes += Statements.length;
          return next(args);
        },
      { step: "initialize", name: "countWrites" },
    );
    return client;
  };
  return { documentClient, writes: () => writes };
};

const each = ({ read, write }: { read: number; write: number }, records: number): string =>
  `${(write / records).toFixed(2)} write units, ${(read / records).toFixed(2)} read units`;

const runRows = async ({ workDirectory, options, progress }: Bench): Promise<Row[]> => {
  const objects = options.quick ? QUICK_OBJECTS : OBJECTS;
  const time = { offset: 0 };
  const clock = () => systemClock() + time.offset;
  const engine = await startTables(...METERED_TABLES);
  const account = await startSimulatedAccount({ dataDirectory: workDirectory, clock, objects });
  try {
    const counting = countingWrites(engine);
    const adapter = createStripeAdapter({ url: account.url, clock });
    const { run } = await createMeteredSync(counting, { adapter, secret: account.apiKey, clock });
    const rows: Row[] = [];
    const measured = async (mode?: "full") => {
      const before = { writes: counting.writes(), requests: await account.requests(), at: performance.now() };
      const { units, run: ended } = await run(mode);
      const seconds = (performance.now() - before.at) / 1_000;
      if (ended?.status !== "succeeded") throw new Error(`A run has ${ended?.status}: ${ended?.error?.message}`);
      return {
        units,
        seconds,
        writes: counting.writes() - before.writes,
        requests: (await account.requests()) - before.requests,
      };
    };

    progress(`… ${objects} objects for the first time`);
    const first = await measured();
    rows.push(
      judgedRow(`full run of ${objects}, writes of each new record`, first.units.write / objects, NEW_RECORD_WRITES, {
        unit: "units",
      }),
      judgedRow("full run, reads of each new record", first.units.read / objects, NEW_RECORD_READS, {
        unit: "units",
      }),
      plainRow("full run, requests to the provider for each new record", (first.requests / objects).toFixed(3)),
      plainRow("full run, objects per second in one process", (objects / first.seconds).toFixed(0)),
    );
    progress("… and once more");
    const again = await measured("full");
    rows.push(
      plainRow("full run, each unchanged record", each(again.units, objects)),
      judgedRow("full run, writes of unchanged records", again.writes, UNCHANGED_WRITES, { unit: "writes" }),
    );
    time.offset += FOUR_HOURS_MS;
    for (let i = 0; i < CHANGES; i++) {
      await account.change({ count: 1, seed: i });
      time.offset += CHANGE_EVERY_MS;
    }
    const changed = await measured();
    rows.push(plainRow("incremental run, each write of a changed record", each(changed.units, changed.writes)));
    time.offset += FOUR_HOURS_MS;
    const quiet = await measured();
    rows.push(
      judgedRow("quiet run, requests to the provider", quiet.requests, QUIET_READS, { unit: "reads" }),
      judgedRow("quiet run", quiet.units.read + quiet.units.write, QUIET_UNITS, { unit: "units" }),
    );
    return rows;
  } finally {
    await account.stop();
    await engine.stop();
  }
};

/** From a provider in memory: the requests of all types take pages of the same size. */
const typeRows = async ({ options, progress }: Bench): Promise<Row[]> => {
  const count = options.quick ? QUICK_OBJECTS : OBJECTS;
  const engine = await startTables(...METERED_TABLES);
  try {
    const rows: Row[] = [];
    for (const type of recordTypes) {
      progress(`… ${count} ${type}`);
      const units = await unitsOfType(engine, type, { count, clock: systemClock });
      rows.push(plainRow(`each of ${count} new ${type}`, each(units, 1)));
    }
    return rows;
  } finally {
    await engine.stop();
  }
};

const Metafile = z.object({
  outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.unknown()) })),
});

/** The functions whose bundle has the provider's SDK inside. */
const bundleRows = (): Row[] => {
  const { outputs } = Metafile.parse(JSON.parse(readFileSync(metafilePath, "utf8")));
  return Object.entries(outputs).flatMap(([file, { inputs }]) => {
    const hasSdk = Object.keys(inputs).some((input) => input.includes("node_modules/stripe/"));
    const name = /([^/]+)\/bundle\.cjs$/.exec(file)?.[1];
    if (!hasSdk || name === undefined) return [];
    const size = statSync(join(bundleDirectory(name), "bundle.cjs")).size / 1_000;
    return [judgedRow(`bundle of ${name}, with the provider's SDK`, size, BUNDLE, { unit: "KB" })];
  });
};

export const measurement: Measurement = {
  title: "Syncs",
  measure: async (bench) => [...(await runRows(bench)), ...(await typeRows(bench)), ...bundleRows()],
};
