/**
 * What the archive costs: an hour of 20,000 events, or as many as `--events` says, written from an embedded store to a bucket
 * in memory, and from that a million events. An event has 330 bytes.
 */
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createArchiveWriter } from "../../../shared/archive/archive-writer.ts";
import { writeHour } from "../../../shared/archive/write-hour.ts";
import { chunksOf } from "../../../shared/runtime/chunks.ts";
import { newSalt } from "../../../shared/runtime/ids.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { toItem } from "../../../shared/security/event-item.ts";
import { createHourEventsStore } from "../../../shared/security/feed/hour-events-store.ts";
import { DAY_MS, expiryOf, HOUR_MS, startOfHour } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { randomEvents } from "../../security/random-events.ts";
import { startTables } from "../../support/service-tables.ts";
import { prices } from "../cost/prices.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row, round } from "../row.ts";

const EVENTS = "securityEvents";
const ORGANIZATION = "measured";
const RETENTION_DAYS = 90;
const MONTHS = 13;
const MILLION = 1_000_000;
/** With 20,000 events 62 bytes, 22 of them of the salt, which nothing compresses. The events as they are would have 330. */
const BYTES: Budget = { limit: 80 };

const measure = async (bench: Bench): Promise<Row[]> => {
  const total = bench.options.events ?? (bench.options.quick ? 5_000 : 20_000);
  const hour = startOfHour(Date.now()) - HOUR_MS;
  const database = await startTables(EVENTS);
  try {
    bench.progress(`… ${total} events to archive`);
    const client = database.documentClient();
    const events = randomEvents(ORGANIZATION, { total, from: hour, to: hour + HOUR_MS, seed: 1 });
    await inParallel(chunksOf(events, 25), 6, async (batch) => {
      const puts = batch.map((event) => {
        const seal = { salt: newSalt(), isLate: false };
        return { PutRequest: { Item: toItem(event, expiryOf(event.timestamp, RETENTION_DAYS), seal) } };
      });
      await client.send(new BatchWriteCommand({ RequestItems: { [EVENTS]: puts } }));
    });
    let bytes = 0;
    const writer = createArchiveWriter({
      archive: {
        put: async (_scope, _hour, body) => {
          bytes = body.length;
        },
      },
      sealOf: async () => ({ count: total, late: [] }),
      span: { months: MONTHS, retentionMs: RETENTION_DAYS * DAY_MS },
    });
    const due = { scope: organizationKey(ORGANIZATION), hour };
    const file = await writer.fileOf(due, Date.now());
    if (typeof file !== "object") throw new Error("The hour has no object.");
    const startedAt = performance.now();
    const { count } = await writeHour(createHourEventsStore(createTable(client, EVENTS)), due, [file], Date.now());
    const seconds = (performance.now() - startedAt) / 1_000;
    if (count !== total) throw new Error(`The object has ${count} of ${total} events.`);
    const perEvent = bytes / total;
    return [
      plainRow(`an hour of ${total} events`, `${round(seconds)} s, an object of ${round(bytes / 1_000_000)} MB`),
      judgedRow("bytes of an event in the archive", Math.round(perEvent), BYTES),
      plainRow(
        "a million events, by proportion",
        `${round((perEvent * MILLION) / 1_000_000)} MB, ${round(perEvent * MILLION * prices.objectByte * MONTHS)} USD for ${MONTHS} months`,
      ),
    ];
  } finally {
    await database.stop();
  }
};

export const measurement: Measurement = { title: "Archive", measure };
