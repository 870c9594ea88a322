/** The cost of the circuit breaker: CPU time per guarded call compared with other breakers, and DynamoDB units per event. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { circuitKey, HELD_SHARD, indexShard } from "../../../shared/circuit-breaker/circuit-keys.ts";
import { createConnectedStore } from "../../../shared/connection/connection-store.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createSettingsStore } from "../../../shared/settings/settings-store.ts";
import { createInstance, fail, succeed, testClock } from "../../shared/circuit-breaker/instance.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { startTables } from "../../support/service-tables.ts";
import { interleave } from "../interleave.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row } from "../row.ts";
import { estimate } from "../statistics.ts";

const run = promisify(execFile);
const guards = ["none", "product", "opossum", "cockatiel"] as const;
const subject = join(import.meta.dirname, "..", "subjects", "guarded-call.mjs");
const OPEN_CIRCUITS = 10_000;

const timeRows = async ({ options, progress }: Bench): Promise<Row[]> => {
  const { results, random } = await interleave({
    options,
    names: guards,
    run: async (name) => Number((await run(process.execPath, [subject, name])).stdout),
    ratios: (numbers) => [numbers("product").map((value, round) => value / (numbers("opossum")[round] ?? Number.NaN))],
    progress,
  });
  return guards.map((name) => {
    const { median, low, high } = estimate(results(name), random);
    const measured = `${median.toFixed(0)} ns [${low.toFixed(0)}, ${high.toFixed(0)}]`;
    return plainRow(`guarded call, fresh copy: ${name}`, measured);
  });
};

/** Adds up the units that all clients of a database consume. */
const metered = (database: EmbeddedDynamoDb) => {
  let reads = 0;
  let writes = 0;
  const documentClient: EmbeddedDynamoDb["documentClient"] = (translation) => {
    const client = database.documentClient(translation);
    client.middlewareStack.add(
      (next, context) => async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
        const result = await next(args);
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: unknown };
        for (const { CapacityUnits } of [ConsumedCapacity].flat() as { CapacityUnits: number }[]) {
          if (context.commandName === "UpdateItemCommand") writes += CapacityUnits;
          else reads += CapacityUnits;
        }
        return result;
      },
      { step: "initialize" },
    );
    return client;
  };
  const read = () => {
    const units = { reads, writes };
    reads = 0;
    writes = 0;
    return units;
  };
  return { documentClient, read };
};

/** Writes open circuits in the stored format. */
const putOpenCircuits = async (database: EmbeddedDynamoDb, now: number): Promise<void> => {
  const client = database.documentClient();
  for (let from = 0; from < OPEN_CIRCUITS; from += 25) {
    const puts = Array.from({ length: 25 }, (_, index) => {
      const organizationId = `0198a6c2-7d4e-7000-8000-${String(from + index).padStart(12, "0")}`;
      const Item = {
        id: circuitKey(organizationId),
        organizationId,
        state: "open",
        generation: 1,
        announced: 1,
        openings: 1,
        lastFailureAt: now,
        ou: now + 30_001 + from,
        sh: indexShard(organizationId),
        openShard: indexShard(organizationId),
        heldShard: HELD_SHARD,
        starts: [{ to: "open", cause: "failures", at: now }],
      };
      return { PutRequest: { Item } };
    });
    await client.send(new BatchWriteCommand({ RequestItems: { circuits: puts } }));
  }
};

const unitRows = async (): Promise<Row[]> => {
  const database = await startTables("circuits", "settings", "connections");
  try {
    const meter = metered(database);
    const settings = createSettingsStore(createTable(meter.documentClient(documentTranslation), "settings"));
    const connected = createConnectedStore(createTable(meter.documentClient(documentTranslation), "connections"));
    const time = testClock();
    const rows: Row[] = [];
    const row = (metric: string, budget: Budget, of: "reads" | "writes") => {
      const unit = of === "reads" ? "read units" : "write units";
      rows.push(judgedRow(metric, meter.read()[of], budget, { unit }));
    };
    // Announcements never complete here, so their writes are not measured: they belong to recording transitions.
    const instance = createInstance(meter, time.clock, {
      onTransition: () => new Promise(() => undefined),
      connectedOrganizations: connected.countConnected,
    });
    // Includes the read of the settings, with which the function admits the request.
    const getCircuitBreaker = () => Promise.all([settings.read("organization"), instance.reader.read("organization")]);

    const call = (what: () => Promise<unknown>) => instance.guard("organization", what).catch(() => undefined);
    await call(succeed);
    row("the first call: reading the circuit", { limit: 1 }, "reads");
    for (let i = 0; i < 1_000; i++) await call(succeed);
    row("1,000 successes with a fresh copy", { limit: 0 }, "writes");
    for (let i = 0; i < 4; i++) {
      await call(fail);
      row(`failure ${i + 1}`, { limit: 2 }, "writes");
    }
    await call(fail);
    row("failure 5, which opens", { limit: 2 }, "writes");
    await call(succeed);
    row("a refusal", { limit: 1 }, "reads");
    await instance.statistics.flush();
    meter.read();
    time.pass(30_000);
    await call(succeed);
    await call(succeed);
    row("a recovery, half-open to closed", { limit: 5 }, "writes");
    await instance.statistics.flush();
    row("the counts of an invocation", { limit: 2 }, "writes");
    await getCircuitBreaker();
    row("GET circuit-breaker", { limit: 10 }, "reads");
    await putOpenCircuits(database, time.now);
    await getCircuitBreaker();
    row(`GET circuit-breaker, ${OPEN_CIRCUITS} circuits open`, { limit: 50 }, "reads");
    return rows;
  } finally {
    await database.stop();
  }
};

export const measurement: Measurement = {
  title: "Circuit breaker",
  measure: async (bench) => [...(await timeRows(bench)), ...(await unitRows())],
};
