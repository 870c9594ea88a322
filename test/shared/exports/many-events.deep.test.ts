/**
 * Exports of many events in each format, compared with the events themselves, in steps of the real size. The formats share
 * their reads. `EXPORTED_EVENTS=100000 npm run test:deep -- many-events` writes more parts of each file.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { EventExportRequest } from "../../../shared/exports/export.ts";
import { PART_BYTES } from "../../../shared/exports/write-file.ts";
import { toOcsf } from "../../../shared/security/ocsf/to-ocsf.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { EVENTS_BY_USER } from "../../../shared/terms/tables.ts";
import { parseCsv, valueOfCell } from "../../support/csv.ts";
import { rangeOf } from "../../support/depth.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { readTestNumber } from "../../support/test-environment.ts";
import { createWorld, type ExportWorld, eventAt, startExportEngine } from "./world.ts";

quietLog();

const COUNT = readTestNumber("EXPORTED_EVENTS", 40_000);
const organizationId = "many";

let engine: EmbeddedDynamoDb;
let world: ExportWorld;
/** Newest first. */
let events: SecurityEvent[];

beforeAll(async () => {
  engine = await startExportEngine([EVENTS_BY_USER.name]);
  world = createWorld(engine, { partBytes: PART_BYTES, eventsPerPage: 1_000, sharesPages: true });
  events = rangeOf(COUNT).map((i) =>
    eventAt(organizationId, world.time.now - 1 - i, {
      userId: `user ${i % 50}`,
      success: i % 7 > 0,
      sessionId: `session ${i}`,
      resource: `/plants/${i}`,
      ...(i % 11 === 0 && { riskLevel: "HIGH", errorMessage: "=1+1", userAgent: 'a "quoted", long\nagent' }),
    }),
  );
  await world.putEvents(events);
});
afterAll(() => engine.stop());

const exportAs = async (format: "ndjson" | "csv" | "ocsf", filter: object = {}): Promise<string> => {
  const request = EventExportRequest.parse({ format, ...filter, since: 0n });
  const { id } = await world.request(organizationId, { kind: "events", request });
  // The time is over after each few steps.
  let checks = 0;
  await world.deliverAll({ remainingMs: () => (++checks % 3 === 0 ? 20_000 : 900_000) });
  const stored = await world.main.exports.get(organizationId, id, world.time.now);
  const [file] = stored.files;
  const text = world.memory.textOf(file?.key ?? "") ?? "";
  expect(stored).toMatchObject({ status: "completed" });
  expect(file).toMatchObject({
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex"),
  });
  return text;
};

/** One comparison of long texts, whose difference nobody could read. */
const expectSame = (actual: readonly string[], expected: readonly string[]): void => {
  const at = expected.findIndex((line, i) => line !== actual[i]);
  expect({ count: actual.length, at, line: actual[at] }).toEqual({ count: expected.length, at: -1, line: undefined });
};

const linesIn = (text: string): string[] => text.split("\n").slice(0, -1);

/** Whether each line has the value of its event, whatever the order of its keys. */
const expectValues = (text: string, expected: (event: SecurityEvent) => object): void => {
  const lines = linesIn(text);
  const at = events.findIndex((event, i) => !isDeepStrictEqual(JSON.parse(lines[i] ?? "null"), expected(event)));
  expect({ count: lines.length, at, line: lines[at] }).toEqual({ count: COUNT, at: -1, line: undefined });
};

it("have every event once as NDJSON", async () => {
  expectValues(await exportAs("ndjson"), (event) => event);
});

it("have every event once as OCSF", async () => {
  expectValues(await exportAs("ocsf"), (event) => JSON.parse(JSON.stringify(toOcsf(event))));
});

it("have every event once as CSV", async () => {
  const [head = [], ...rows] = parseCsv(await exportAs("csv"));
  const column = (name: string) => rows.map((cells) => valueOfCell(cells[head.indexOf(name)] ?? ""));
  expectSame(
    column("id"),
    events.map(({ id }) => id),
  );
  expectSame(
    column("errorMessage"),
    events.map(({ errorMessage = "" }) => errorMessage),
  );
  expectSame(
    column("metadata"),
    events.map(({ metadata }) => JSON.stringify(metadata)),
  );
});

it("have the events of a filter", async () => {
  const failed = linesIn(await exportAs("ndjson", { userId: "user 7", success: false }));
  expectSame(
    failed.map((line) => JSON.parse(line).id as string),
    events.filter(({ userId, success }) => userId === "user 7" && !success).map(({ id }) => id),
  );
});
