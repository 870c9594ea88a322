/**
 * What sealing costs: hours of 10,000 and of 50,000 events, or as many as `--events` says, from an embedded store; a quiet
 * step; an organization's hour of few events; and the salt of each event that is recorded.
 */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createReadSealedHour, toHourLeaf } from "../../../shared/archive/read-sealed-hour.ts";
import { chunksOf } from "../../../shared/runtime/chunks.ts";
import { newSalt } from "../../../shared/runtime/ids.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createCheckpointSigner } from "../../../shared/sealing/checkpoint-signer.ts";
import { createDueSealStore } from "../../../shared/sealing/due-seal-store.ts";
import { createEvidenceStore } from "../../../shared/sealing/evidence-store.ts";
import { createSaltStore } from "../../../shared/sealing/salt-store.ts";
import { sealDueHours } from "../../../shared/sealing/seal-due-hours.ts";
import { toItem } from "../../../shared/security/event-item.ts";
import { createHourEventsStore } from "../../../shared/security/feed/hour-events-store.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { DAY_MS, expiryOf, HOUR_MS, startOfHour } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { randomEvents } from "../../security/random-events.ts";
import { countUnits, type Units } from "../../support/consumed-units.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { startTables } from "../../support/service-tables.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row, round } from "../row.ts";

const EVENTS = "securityEvents";
const RETENTION_DAYS = 90;
const MEGABYTE = 1_000_000;
const SMALL_HOURS = 20;
const SMALL_EVENTS = 4;
const RECORDED_EVENTS = 500;

/** A fifth of the worker's 15 minutes. */
const SECONDS: Budget = { limit: 180 };
/** The function has 1,024 MB, and seals hours of eight organizations at once. */
const MEMORY: Budget = { limit: 100 };
const MORE_WRITES: Budget = { limit: 5 };

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");
const memoryInUse = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

type Hour = { organizationId: string; hour: number; total: number };

const storeEvents = async (database: EmbeddedDynamoDb, { organizationId, hour, total }: Hour): Promise<void> => {
  const client = database.documentClient();
  const events = randomEvents(organizationId, { total, from: hour, to: hour + HOUR_MS, seed: 1 });
  await inParallel(chunksOf(events, 25), 6, async (batch) => {
    const puts = batch.map((event) => {
      const seal = { salt: newSalt(), isLate: false };
      return { PutRequest: { Item: toItem(event, expiryOf(event.timestamp, RETENTION_DAYS), seal) } };
    });
    await client.send(new BatchWriteCommand({ RequestItems: { [EVENTS]: puts } }));
  });
  const dueSeals = createDueSealStore(createTable(client, "securityRollups"), () => hour);
  await dueSeals.markDue(organizationKey(organizationId), hour);
};

/** The worker over the tables of a database. `pass`: runs it after an hour, and says what that used. */
const startWorker = (database: EmbeddedDynamoDb, first: number) => {
  const time = { now: first };
  const now = () => time.now;
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const spki = publicKey.export({ format: "der", type: "spki" });
  const client = database.documentClient();
  const measure = countUnits(client);
  const evidence = createEvidenceStore(createTable(client, "evidence"), now);
  const events = createHourEventsStore(createTable(client, EVENTS));
  let held = 0;
  const seal = () =>
    sealDueHours(
      {
        evidence: {
          ...evidence,
          putVersion: (version) => {
            held = memoryInUse();
            return evidence.putVersion(version);
          },
        },
        dueSeals: createDueSealStore(createTable(client, "securityRollups"), now),
        readHour: createReadSealedHour({ events, evidence, retentionMs: RETENTION_DAYS * DAY_MS, now }, toHourLeaf),
        salts: createSaltStore(createTable(client, EVENTS)),
        signer: createCheckpointSigner({
          publicKeys: async () => [spki],
          sign: async (body) => [sign(null, body, privateKey)],
        }),
        checkpoints: { put: async () => undefined },
        origin: "bench.integration-security",
        bus: { publish: async () => [] },
        now,
        random: randomBytes,
      },
      {},
      () => 900_000,
    );
  return {
    async pass(hour: number): Promise<Units & { seconds: number; megabytes: number; events: number }> {
      time.now = hour + HOUR_MS + 43 * 60_000;
      let sealed = 0;
      const before = memoryInUse();
      held = before;
      const startedAt = performance.now();
      const units = await measure(async () => {
        sealed = (await seal()).events;
      });
      const seconds = (performance.now() - startedAt) / 1_000;
      return { ...units, seconds, megabytes: (held - before) / MEGABYTE, events: sealed };
    },
  };
};

const hourRows = async (bench: Bench): Promise<Row[]> => {
  const { options } = bench;
  const totals = options.events === undefined ? (options.quick ? [10_000] : [10_000, 50_000]) : [options.events];
  const database = await startTables(EVENTS, "securityRollups", "evidence");
  try {
    let hour = startOfHour(Date.now()) - 24 * HOUR_MS;
    const worker = startWorker(database, hour);
    await worker.pass(hour);
    hour += HOUR_MS;
    await worker.pass(hour);
    const rows: Row[] = [];
    for (const total of totals) {
      bench.progress(`… an hour of ${total} events to seal`);
      hour += HOUR_MS;
      await storeEvents(database, { organizationId: `hour-of-${total}`, hour, total });
      const { read, write, seconds, megabytes, events } = await worker.pass(hour);
      if (events !== total) throw new Error(`${events} of ${total} events were sealed.`);
      const name = `an hour of ${total} events`;
      rows.push(
        judgedRow(`${name}: time`, seconds, SECONDS, { unit: "s" }),
        judgedRow(`${name}: memory that its leaves hold`, megabytes, MEMORY, { unit: "MB" }),
        plainRow(`${name}: read and write units, the step included`, `${round(read)}, ${round(write)}`),
      );
    }
    hour += HOUR_MS;
    const quiet = await worker.pass(hour);
    hour += HOUR_MS;
    for (let number = 0; number < SMALL_HOURS; number++)
      await storeEvents(database, { organizationId: `small-${number}`, hour, total: SMALL_EVENTS });
    const { read, write } = await worker.pass(hour);
    return [
      ...rows,
      plainRow("a step without events: read and write units", `${round(quiet.read)}, ${round(quiet.write)}`),
      plainRow(
        `an organization's hour of ${SMALL_EVENTS} events: read and write units, the step not included`,
        `${round((read - quiet.read) / SMALL_HOURS)}, ${round((write - quiet.write) / SMALL_HOURS)}`,
      ),
    ];
  } finally {
    await database.stop();
  }
};

/** What a salt adds to the writes of recorded events. */
const saltRows = async (): Promise<Row[]> => {
  const database = await startTables(EVENTS);
  try {
    const client = database.documentClient();
    const measure = countUnits(client);
    const store = createSecurityEventStore(createTable(client, EVENTS));
    const hour = startOfHour(Date.now()) - HOUR_MS;
    const record = (organizationId: string, isSalted: boolean) =>
      measure(async () => {
        const span = { total: RECORDED_EVENTS, from: hour, to: hour + HOUR_MS, seed: 1 };
        let number = 0;
        for (const event of randomEvents(organizationId, span)) {
          const seal = isSalted ? { salt: newSalt(), isLate: false } : undefined;
          // Sizes from 330 to 1,330 bytes, evenly: a salt costs a unit where it crosses a KB.
          const metadata = { note: "x".repeat((number++ * 1_000) / RECORDED_EVENTS) };
          await store.put({ event: { ...event, metadata }, ttl: expiryOf(event.timestamp, RETENTION_DAYS), seal });
        }
      });
    const [without, salted] = [await record("unsalted", false), await record("salted", true)];
    const each = (units: Units) => round(units.write / RECORDED_EVENTS);
    return [
      plainRow("write units of an event without and with salt", `${each(without)}, ${each(salted)}`),
      judgedRow("more write units with the salt", 100 * (salted.write / without.write - 1), MORE_WRITES, { unit: "%" }),
    ];
  } finally {
    await database.stop();
  }
};

export const measurement: Measurement = {
  title: "Sealing",
  measure: async (bench) => [...(await hourRows(bench)), ...(await saltRows())],
};
