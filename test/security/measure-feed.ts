/**
 * `npm run measure:feed`: writes hours of 50,000 events of one organization, to the feed and the archive, alone and eight at once as the function does,
 * each in a process of its own, and prints seconds, the size of the object and the process's peak memory. Takes a minute.
 */

import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { createArchiveWriter } from "../../shared/archive/archive-writer.ts";
import { createFeedWriter } from "../../shared/archive/feed-writer.ts";
import { writeHour } from "../../shared/archive/write-hour.ts";
import { chunksOf } from "../../shared/runtime/chunks.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { newSalt } from "../../shared/runtime/ids.ts";
import { inParallel } from "../../shared/runtime/in-parallel.ts";
import { createTable } from "../../shared/runtime/table.ts";
import { toItem } from "../../shared/security/event-item.ts";
import { createHourEventsStore } from "../../shared/security/feed/hour-events-store.ts";
import { DAY_MS, expiryOf, HOUR_MS, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { startTables } from "../support/service-tables.ts";
import { randomEvents } from "./random-events.ts";

const EVENTS = "securityEvents";
const EVENTS_OF_HOUR = 50_000;
const BATCH = 25;
const HOUR = startOfHour(Date.now()) - HOUR_MS;
const scope = organizationKey("measured");
const { values } = parseArgs({ options: { endpoint: { type: "string" }, hours: { type: "string" } } });

/** In the process that is measured. All hours read the same events. */
const measure = async (endpoint: string, hours: number): Promise<void> => {
  const client = DynamoDBDocumentClient.from(engineClient(endpoint), documentTranslation);
  const { read } = createHourEventsStore(createTable(client, EVENTS));
  const bytes = { feed: 0, archive: 0 };
  const feed = createFeedWriter({
    objects: {
      put: async (_, body) => {
        bytes.feed = body.length;
      },
      delete: async () => undefined,
    },
    region: "r",
    isSwitchedOn: async () => true,
  });
  const archive = createArchiveWriter({
    archive: {
      put: async (_scope, _hour, body) => {
        bytes.archive = body.length;
      },
    },
    sealOf: async () => ({ count: EVENTS_OF_HOUR, late: [] }),
    span: { months: 13, retentionMs: 90 * DAY_MS },
  });
  const start = performance.now();
  const memoryBefore = process.resourceUsage().maxRSS;
  const due = { scope, hour: HOUR };
  const write = async (): Promise<void> => {
    const files = await Promise.all([archive, feed].map(({ fileOf }) => fileOf(due, Date.now())));
    await writeHour(
      { read },
      due,
      files.filter((file) => typeof file === "object"),
      Date.now(),
    );
  };
  await Promise.all(Array.from({ length: hours }, write));
  const seconds = (performance.now() - start) / 1_000;
  const mb = (size: number) => (size / 1_000_000).toFixed(1);
  const peak = process.resourceUsage().maxRSS * 1_024;
  process.stdout.write(
    `${hours} at once: ${seconds.toFixed(1)} s, objects of ${mb(bytes.feed)} MB in the feed and ${mb(bytes.archive)} MB in the archive, ${mb(peak)} MB of memory at most, ${mb(memoryBefore * 1_024)} MB before\n`,
  );
  client.destroy();
};

const writeEvents = async (client: DynamoDBDocumentClient): Promise<void> => {
  const range = { total: EVENTS_OF_HOUR, from: HOUR, to: HOUR + HOUR_MS, seed: 1 };
  await inParallel(chunksOf(randomEvents("measured", range), BATCH), 6, async (events) => {
    const puts = events.map((event) => ({
      PutRequest: { Item: toItem(event, expiryOf(event.timestamp, 90), { salt: newSalt(), isLate: false }) },
    }));
    await client.send(new BatchWriteCommand({ RequestItems: { [EVENTS]: puts } }));
  });
};

const main = async (): Promise<void> => {
  const database = await startTables(EVENTS);
  try {
    await writeEvents(database.documentClient());
    for (const hours of ["1", "8"]) {
      const given = [
        "--max-old-space-size=800",
        import.meta.filename,
        "--endpoint",
        database.endpoint,
        "--hours",
        hours,
      ];
      execFileSync(process.execPath, given, { stdio: "inherit" });
    }
  } finally {
    await database.stop();
  }
};

if (values.endpoint === undefined) await main();
else await measure(values.endpoint, Number(values.hours));
