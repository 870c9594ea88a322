import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CSV_COLUMNS } from "../../../shared/exports/csv.ts";
import { EventExportRequest, type Export, type ExportFormat } from "../../../shared/exports/export.ts";
import { createRequestExport } from "../../../shared/exports/request-export.ts";
import type { Destination } from "../../../shared/notifications/destination.ts";
import { toOcsf } from "../../../shared/security/ocsf/to-ocsf.ts";
import { eventTypes } from "../../../shared/security/security-event.ts";
import { parseCsv, valueOfCell } from "../../support/csv.ts";
import { rangeOf } from "../../support/depth.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { keyedIdentity } from "../../support/request-identity.ts";
import { HOUR, NOW } from "../../support/security-events.ts";
import { createWorld, type ExportWorld, eventAt, type Io, startExportEngine } from "./world.ts";

quietLog();

let engine: EmbeddedDynamoDb;
let world: ExportWorld;
beforeAll(async () => {
  engine = await startExportEngine();
  world = createWorld(engine);
});
afterAll(() => engine.stop());

const DAY = 24 * HOUR;

/** A body as it is parsed: integers are bigints. */
const bodyOf = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "number" ? BigInt(value) : value]),
  );

const wanted = (format: ExportFormat, filter: object = {}) => ({
  kind: "events" as const,
  request: EventExportRequest.parse(bodyOf({ format, ...filter })),
});

/** Events of the last two days, two of which have the same time as an export's limit. */
const fill = async (count: number): Promise<string> => {
  const organizationId = world.newOrganization();
  const types = Object.keys(eventTypes);
  const events = rangeOf(count).map((i) =>
    eventAt(organizationId, world.time.now - Math.floor((i * 2 * DAY) / count), {
      eventType: types[i % types.length] ?? "",
      success: i % 3 > 0,
      userId: i % 2 === 0 ? "ada" : "bob",
      ...(i % 5 === 0 && { riskLevel: "HIGH", category: "authentication", errorMessage: "=HYPERLINK(1)" }),
    }),
  );
  await world.putEvents(events);
  return organizationId;
};

const show = async (organizationId: string, { id }: Pick<Export, "id">): Promise<Export> =>
  world.read(id, world.by(organizationId));

const textOf = (organizationId: string, { id }: Pick<Export, "id">, name: string): string => {
  const key = world.memory.keys().find((one) => one.includes(`/${id}/`) && one.endsWith(`/${name}`));
  expect(key?.startsWith(`${Buffer.from(organizationId).toString("base64url")}/`)).toBe(true);
  return world.memory.textOf(key ?? "") ?? "";
};

const linesIn = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

describe("an export of events", () => {
  it.each([
    {},
    { since: 0 },
    { since: NOW - 30 * HOUR, until: NOW - HOUR, success: false },
    { riskLevel: "high", userId: "ada" },
    { category: "authentication", processed: "false" },
    { since: NOW, until: NOW },
  ])("has the events of the list with the same filter in each format: %j", async (filter) => {
    const organizationId = await fill(36);
    const { success, processed, ...others } = EventExportRequest.parse(bodyOf({ format: "csv", ...filter }));
    const { format: _, since = NOW - DAY, until = NOW, ...same } = others;
    const flags = { ...(success !== undefined && { success }), ...(processed !== undefined && { processed }) };
    const expected = until <= since ? [] : await world.listed(organizationId, { ...same, ...flags, since, until });
    const started = await Promise.all(
      (["ndjson", "csv", "ocsf"] as const).map((format) => world.request(organizationId, wanted(format, filter))),
    );
    await world.deliverAll();
    const [ndjson = "", csv = "", ocsf = ""] = ["events.ndjson", "events.csv", "events.ocsf.ndjson"].map((name, i) =>
      textOf(organizationId, started[i] ?? { id: "" }, name),
    );
    expect(linesIn(ndjson)).toEqual(expected);
    expect(linesIn(ocsf)).toEqual(expected.map(toOcsf));
    const [head, ...rows] = parseCsv(csv);
    expect(head).toEqual(CSV_COLUMNS);
    expect(rows.map((cells) => valueOfCell(cells[1] ?? ""))).toEqual(expected.map(({ id }) => id));
    for (const [i, text] of [ndjson, csv, ocsf].entries()) {
      const { status, progress, files } = await show(organizationId, started[i] ?? { id: "" });
      const bytes = Buffer.byteLength(text);
      const sha256 = createHash("sha256").update(text).digest("hex");
      expect({ status, progress, files }).toMatchObject({
        status: "completed",
        progress: { items: expected.length, bytes },
        files: [{ bytes, sha256, count: expected.length }],
      });
    }
    expect(world.memory.openUploads()).toEqual([]);
  });

  it("ends before the time of the request, and shows its filter", async () => {
    const organizationId = world.newOrganization();
    await world.putEvents([NOW - 1, NOW, NOW + 1].map((at) => eventAt(organizationId, at)));
    const made = await world.request(organizationId, wanted("ndjson", { until: NOW + HOUR }));
    expect(made).toMatchObject({ status: "requested", filter: { since: NOW - DAY, until: NOW }, requestedBy: "root" });
    await world.deliverAll();
    expect(linesIn(textOf(organizationId, made, "events.ndjson"))).toMatchObject([{ timestamp: NOW - 1 }]);
  });

  it("records who requested it with which filter, and what was exported", async () => {
    const organizationId = await fill(3);
    world.recorded.clear();
    const made = await world.request(organizationId, wanted("csv", { userId: "ada", since: 0 }));
    await world.deliverAll();
    const metadata = { exportId: made.id, kind: "events", format: "csv" };
    expect([...world.recorded.values()]).toMatchObject([
      {
        eventType: "EXPORT_REQUESTED",
        category: "compliance",
        userId: "root",
        ipAddress: "203.0.113.1",
        metadata: { ...metadata, filter: { userId: "ada", since: 0 }, requestId: "r-1" },
      },
      {
        eventType: "EXPORT_COMPLETED",
        category: "compliance",
        source: "system",
        metadata: { ...metadata, files: 1, items: 1 },
      },
    ]);
  });

  it("has links only for one completed export, and records the read", async () => {
    const organizationId = await fill(1);
    const made = await world.request(organizationId, wanted("ndjson"));
    world.recorded.clear();
    expect(await show(organizationId, made)).toMatchObject({ status: "requested", files: [] });
    expect(world.recorded.size).toBe(0);
    await world.deliverAll();
    world.recorded.clear();
    const { files } = await show(organizationId, made);
    expect(files[0]).toMatchObject({ urlExpiresAt: NOW + 15 * 60_000, url: expect.stringContaining("seconds=900") });
    expect(files[0]?.url).toContain("name=2026-11-21T12-30-00-events.ndjson");
    expect([...world.recorded.values()]).toMatchObject([{ action: "read_export" }]);
    const { items } = await world.main.exports.list(organizationId, { limit: 5, after: undefined, now: NOW });
    expect(items).toMatchObject([{ id: made.id, status: "completed", expiresAt: NOW + 7 * DAY }]);
    expect(JSON.stringify(items)).not.toContain("url");
    await expect(show(world.newOrganization(), made)).rejects.toMatchObject({ code: "export_not_found" });
  });

  it("is listed newest first, page by page", async () => {
    const organizationId = world.newOrganization();
    const ids: string[] = [];
    for (const _ of rangeOf(5)) {
      world.time.now += 1_000;
      ids.unshift((await world.request(organizationId, wanted("csv"))).id);
      await world.deliverAll();
    }
    const page = { limit: 2, after: undefined as { id: string } | undefined, now: world.time.now };
    const found: string[] = [];
    do {
      const { items, next } = await world.main.exports.list(organizationId, page);
      found.push(...items.map(({ id }) => id));
      page.after = next;
    } while (page.after !== undefined);
    expect(found).toEqual(ids);
    world.time.now = NOW;
    const firstEndsAt = NOW + 1_000 + 30 * DAY;
    for (const [now, left] of [
      [firstEndsAt - 1, 5],
      [firstEndsAt, 4],
      [NOW + 31 * DAY, 0],
    ] as const)
      expect((await world.main.exports.list(organizationId, { limit: 9, after: undefined, now })).items).toHaveLength(
        left,
      );
  });
});

describe("requests", () => {
  it("of one Idempotency-Key make one export, even if they run at the same time", async () => {
    const organizationId = world.newOrganization();
    const { first, repeated } = keyedIdentity(NOW);
    const answers = await Promise.all(
      [first, repeated, repeated].map((identity) => world.request(organizationId, wanted("csv"), identity)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const { items } = await world.main.exports.list(organizationId, { limit: 5, after: undefined, now: NOW });
    expect(items).toHaveLength(1);
    world.takeRequests();
  });

  it("of one Idempotency-Key ask for a worker again if the first attempt stored the export and died", async () => {
    const organizationId = world.newOrganization();
    const { first, repeated } = keyedIdentity(NOW);
    const die = () => Promise.reject(new Error("died"));
    const dying = createRequestExport({ ...world.main, events: { requested: die }, bus: { publish: die } });
    await expect(dying(wanted("csv"), world.by(organizationId, first))).rejects.toThrow("died");
    world.recorded.clear();
    const { id } = await world.request(organizationId, wanted("csv"), repeated);
    expect(world.takeRequests()).toMatchObject([{ organizationId, exportId: id }]);
    expect([...world.recorded.values()]).toMatchObject([{ eventType: "EXPORT_REQUESTED" }]);
  });

  it("are refused while three exports run, whatever their order, and accepted when one has ended", async () => {
    const organizationId = world.newOrganization();
    const outcomes = await Promise.allSettled(rangeOf(8).map(() => world.request(organizationId, wanted("csv"))));
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(refused.map(({ code }) => code)).toEqual(Array(5).fill("too_many_exports"));
    const [one] = world.takeRequests();
    if (one !== undefined) await world.deliver(one);
    await world.request(organizationId, wanted("ocsf"));
    await expect(world.request(organizationId, { kind: "organization" })).rejects.toMatchObject({
      code: "too_many_exports",
    });
    world.takeRequests();
  });

  it.each([
    [{}, "format"],
    [{ format: "xml" }, "format"],
    [{ format: "csv", eventType: "NONE" }, "eventType"],
    [{ format: "csv", since: "yesterday" }, "since"],
    [{ format: "csv", until: -1 }, "until"],
    [{ format: "csv", processed: "maybe" }, "processed"],
    [{ format: "csv", userId: "" }, "userId"],
  ])("must have filters of the list: %j", (body, field) => {
    const { error } = EventExportRequest.safeParse(bodyOf(body));
    expect(error?.issues.map(({ path }) => path[0])).toEqual([field]);
  });
});

describe("an export of all data", () => {
  it("has a file per kind of data, and a manifest that proves them", async () => {
    const organizationId = await fill(20);
    const destination: Destination = {
      id: "01KB0000000000000000000000",
      type: "webhook",
      target: "https://soc.example/hook",
      name: "SOC",
      status: "active",
      filter: {},
      createdAt: NOW,
      createdBy: "root",
      changedAt: NOW,
      changedBy: "root",
    };
    const sealed = Buffer.from("sealed secrets");
    await world.main.destinations.create(organizationId, { ...destination, sealed, version: "a token" });
    const made = await world.request(organizationId, { kind: "organization" });
    await world.deliverAll();
    const { files, progress } = await show(organizationId, made);
    const manifest = JSON.parse(textOf(organizationId, made, "manifest.json"));
    const names = [
      "settings.json",
      "destinations.ndjson",
      "custom-rules.ndjson",
      "customers.ndjson",
      "subscriptions.ndjson",
      "invoices.ndjson",
      "payments.ndjson",
      "refunds.ndjson",
      "disputes.ndjson",
      "payouts.ndjson",
    ];
    expect(files.map(({ name }) => name)).toEqual([
      ...names,
      "events.ndjson",
      "alerts.ndjson",
      "reports.ndjson",
      "detection-rules.json",
      "mutes.ndjson",
      "manifest.json",
    ]);
    expect(manifest).toMatchObject({ version: 1, organizationId, exportId: made.id, requestedAt: NOW });
    for (const { name, bytes, count, sha256 } of manifest.files) {
      const text = textOf(organizationId, made, name);
      expect({ bytes, sha256 }).toEqual({
        bytes: Buffer.byteLength(text),
        sha256: createHash("sha256").update(text).digest("hex"),
      });
      if (name.endsWith(".ndjson")) expect(count).toBe(linesIn(text).length);
    }
    expect(linesIn(textOf(organizationId, made, "events.ndjson"))).toHaveLength(19);
    expect(linesIn(textOf(organizationId, made, "destinations.ndjson"))).toEqual([destination]);
    expect(progress.items).toBe(files.reduce((sum, { count }) => sum + count, 0));
  });
});

describe("a worker whose time is short", () => {
  it("moves the export on, step by step, until it is complete", async () => {
    const organizationId = await fill(30);
    const made = await world.request(organizationId, wanted("ndjson", { since: 0 }));
    let handOvers = 0;
    for (let [request] = world.takeRequests(); request !== undefined; [request] = world.takeRequests()) {
      let steps = 0;
      await world.deliver(request, { remainingMs: () => (++steps > 1 ? 10_000 : 900_000) });
      expect(++handOvers).toBeLessThan(30);
    }
    expect(await show(organizationId, made)).toMatchObject({ status: "completed", progress: { items: 29 } });
  });
});

describe("a worker that dies", () => {
  it.each(["beginUpload", "uploadPart", "completeUpload", "read"])(
    "at its first call of %s leaves a file that begins with the head and has each event once",
    async (name) => {
      const organizationId = await fill(12);
      const { id } = await world.request(organizationId, wanted("csv", { since: 0 }));
      const io: Io = (call, work) => (call === name ? Promise.reject(new Error("died")) : work());
      const [request = { organizationId, exportId: "" }] = world.takeRequests();
      await expect(world.deliver(request, { io, delivery: "one" })).rejects.toThrow("died");
      await world.deliver(request, { delivery: "one" });
      const [head, ...rows] = parseCsv(textOf(organizationId, { id }, "events.csv"));
      expect(head).toEqual(CSV_COLUMNS);
      expect(new Set(rows.map(([, event]) => event)).size).toBe(11);
      expect(rows).toHaveLength(11);
    },
  );
});

describe("the end of an export", () => {
  it("comes 7 days after its files were complete: they are deleted, and no link leads to them", async () => {
    const organizationId = await fill(30);
    const made = await world.request(organizationId, wanted("ndjson", { since: 0 }));
    await world.deliverAll();
    world.time.now = NOW + 7 * DAY - 1;
    expect(await world.resume(organizationId)).toMatchObject({ resumed: 0 });
    expect((await show(organizationId, made)).files[0]?.url).toBeDefined();
    world.time.now = NOW + 7 * DAY;
    expect(await show(organizationId, made)).toMatchObject({ status: "deleted", files: [{ count: 29 }] });
    expect((await show(organizationId, made)).files[0]?.url).toBeUndefined();
    expect(await world.resume(organizationId)).toMatchObject({ resumed: 1 });
    await world.deliverAll();
    expect(world.memory.keys().filter((key) => key.includes(made.id))).toEqual([]);
    expect(await show(organizationId, made)).toMatchObject({ status: "deleted" });
    expect(await world.resume(organizationId)).toMatchObject({ underWay: 0 });
    world.time.now = NOW;
  });

  it.each(["too_slow", "too_large"] as const)(
    "is a failure if it is %s: nothing stays, and its place is free",
    async (code) => {
      const organizationId = await fill(30);
      const made = await world.request(organizationId, wanted("ndjson", { since: 0 }));
      const [request] = world.takeRequests();
      let steps = 0;
      const remainingMs = () => (++steps > 2 ? 10_000 : 900_000);
      if (code === "too_slow") {
        await world.deliver(request ?? { organizationId, exportId: "" }, { remainingMs });
        expect(await show(organizationId, made)).toMatchObject({
          status: "running",
          progress: { items: expect.any(Number) },
        });
        world.time.now = NOW + 20 * HOUR;
        await world.deliverAll();
      } else await world.deliver(request ?? { organizationId, exportId: "" }, { maxFileBytes: 3_000 });
      expect(await show(organizationId, made)).toMatchObject({ status: "failed", files: [], error: { code } });
      expect(world.memory.openUploads()).toEqual([]);
      expect(world.memory.keys().filter((key) => key.includes(made.id))).toEqual([]);
      expect(await world.resume(organizationId)).toMatchObject({ underWay: 0 });
      world.time.now = NOW;
      for (const _ of rangeOf(3)) await world.request(organizationId, wanted("csv"));
      world.takeRequests();
    },
  );

  it("is found by the hourly function if the request for a worker was lost", async () => {
    const organizationId = await fill(3);
    const made = await world.request(organizationId, wanted("ndjson"));
    world.takeRequests();
    expect(await world.resume(organizationId)).toMatchObject({ resumed: 0, underWay: 1 });
    world.time.now += 61_000;
    expect(await world.resume(organizationId)).toMatchObject({ resumed: 1 });
    await world.deliverAll();
    expect(await show(organizationId, made)).toMatchObject({ status: "completed" });
    world.time.now = NOW;
  });
});
