/**
 * What an export of security events costs, by format: 100,000 events, or as many as `--events` says, in the local cloud
 * with a metered store, and from that a million. The price has the function's time as it was measured; Lambda at 1,024 MB
 * is slower (docs/cost.md).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { LocalCloud } from "../../../infra/local/cloud/local-cloud.ts";
import { chunksOf } from "../../../shared/runtime/chunks.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { toItem } from "../../../shared/security/event-item.ts";
import { DAY_MS, expiryOf } from "../../../shared/terms/hours.ts";
import { randomEvents } from "../../security/random-events.ts";
import { type MeteredCloud, requestsTo, withMeteredCloud } from "../bench-cloud.ts";
import { prices } from "../cost/prices.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row, round } from "../row.ts";

const ORGANIZATION = "acme";
const EXPORTS = "/security/exports";
const FORMATS = ["ndjson", "csv", "ocsf"] as const;
const RETENTION_DAYS = 90;
/** The maximum of a BatchWriteItem call. */
const BATCH = 25;
const MILLION = 1_000_000;

/** A file is kept for seven days. */
const KEPT_MONTHS = 7 / 30;
/** Half a unit for 4 KB of events is 50,000 units for a million; a second read of the events would exceed it. */
const READS: Budget = { limit: 60_000 };
/** With 10,000 events up to 31 units, most of them once for each export. A unit for each event would exceed it. */
const WRITES: Budget = { limit: 4_000 };

type Export = { id: string; status: string; files: { bytes: number; count: number }[] };

/** Writes events of an organization over 80 days, as the recorder stores them. */
const seed = async ({ model }: LocalCloud, endpoint: string, total: number): Promise<void> => {
  const table = model.tables.find(({ logicalId }) => logicalId.startsWith("TablesSecurityEvents"))?.name ?? "";
  const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
  const client = new DynamoDBClient({ endpoint, region: model.region, credentials });
  const documents = DynamoDBDocumentClient.from(client, documentTranslation);
  const now = Date.now();
  const events = randomEvents(ORGANIZATION, { total, from: now - 80 * DAY_MS, to: now - DAY_MS, seed: 1 });
  await inParallel(chunksOf(events, BATCH), 4, async (batch) => {
    const requests = batch.map((event) => ({
      PutRequest: { Item: toItem(event, expiryOf(event.timestamp, RETENTION_DAYS)) },
    }));
    const { UnprocessedItems } = await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    if (UnprocessedItems?.[table] !== undefined) throw new Error("The engine left events unwritten.");
  });
  client.destroy();
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * Actions whose requests AWS bills as writes; others are reads, and deleting is free. Each step of a multipart upload needs
 * the action PutObject.
 */
const isWrite = (action: string): boolean => /^s3:(Put|List)/.test(action);
const isFree = (action: string): boolean => /^s3:(Delete|Abort)/.test(action);

const measureOn = async ({ cloud, proxy, engineUrl }: MeteredCloud, bench: Bench): Promise<Row[]> => {
  const total = bench.options.events ?? (bench.options.quick ? 10_000 : 100_000);
  bench.progress(`… ${total} events to export`);
  await seed(cloud, engineUrl, total);
  const request = await requestsTo(cloud, ORGANIZATION);
  const since = Date.now() - 85 * DAY_MS;
  const until = Date.now() - DAY_MS / 2;
  const rows: Row[] = [];
  for (const format of FORMATS) {
    bench.progress(`… ${format}`);
    proxy.read();
    const actionsBefore = cloud.calls();
    const worker = () => cloud.functions.list().find(({ name }) => name.includes("RunExport"))?.invocationMs ?? 0;
    const workerBefore = worker();
    const startedAt = performance.now();
    const { id } = await request<Export>("POST", EXPORTS, { format, since, until });
    let exported = await request<Export>("GET", `${EXPORTS}/${id}`);
    // The answer to each question costs two read units, which the bill leaves in.
    while (exported.status !== "completed") {
      if (exported.status === "failed") throw new Error(`The export ${id} failed.`);
      await sleep(1_000);
      exported = await request<Export>("GET", `${EXPORTS}/${id}`);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const workerSeconds = (worker() - workerBefore) / 1_000;
    const { reads, writes } = proxy.read();
    const made = Object.entries(cloud.calls()).map(
      ([action, count]) => [action, count - (actionsBefore[action] ?? 0)] as const,
    );
    const billed = (matches: (action: string) => boolean) =>
      sum(made.flatMap(([action, count]) => (action.startsWith("s3:") && matches(action) ? [count] : [])));
    const s3Writes = billed(isWrite);
    const s3Reads = billed((action) => !isWrite(action) && !isFree(action));
    const bytes = sum(exported.files.map((file) => file.bytes));
    const count = sum(exported.files.map((file) => file.count));
    if (count !== total) throw new Error(`The ${format} export has ${count} of ${total} events.`);
    const usd =
      reads * prices.readUnit +
      writes * prices.writeUnit +
      workerSeconds * prices.gigabyteSecond +
      s3Writes * prices.objectWrite +
      s3Reads * prices.objectRead +
      bytes * prices.objectByte * KEPT_MONTHS;
    const perMillion = MILLION / total;
    rows.push(
      plainRow(
        `${format}: ${total} events`,
        `${round(seconds)} s, of it ${round(workerSeconds)} s in the worker; ${round(bytes / 2 ** 20)} MB`,
      ),
      judgedRow(`${format}: read units, by proportion for a million events`, Math.round(reads * perMillion), READS),
      judgedRow(`${format}: write units, by proportion for a million events`, Math.round(writes * perMillion), WRITES),
      plainRow(
        `${format}: a million events, by proportion`,
        `${Math.round(s3Writes * perMillion)} S3 writes, ${Math.round(s3Reads * perMillion)} S3 reads, ${round(usd * perMillion)} USD`,
      ),
    );
  }
  return rows;
};

export const measurement: Measurement = {
  title: "Exports",
  measure: (bench) => withMeteredCloud(bench, (metered) => measureOn(metered, bench)),
};
