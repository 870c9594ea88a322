import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { CSV_COLUMNS } from "../../shared/exports/csv.ts";
import type { Export } from "../../shared/exports/export.ts";
import { toOcsf } from "../../shared/security/ocsf/to-ocsf.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { parseCsv, valueOfCell } from "../support/csv.ts";
import { deepIt } from "../support/deep-it.ts";
import { rangeOf, sampleOf } from "../support/depth.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const ours = organizationOf(service, "exports");
const EXPORTS = "security/exports";

beforeAll(async () => {
  // Refusals and changes of alerts leave events of several types and levels.
  await Promise.all(
    rangeOf(60).flatMap((i) => [
      ours.call("GET", "settings", undefined, { userId: `=guest ${i % 3}`.replaceAll(" ", ""), role: "guest" }),
      ours.call("POST", "security/alert", { action: "generate_alert", title: `=1+${i}`, riskLevel: "LOW" }),
    ]),
  );
});

const completed = (organization: ReturnType<typeof organizationOf>, id: string): Promise<Export> =>
  eventually(`export ${id} is completed`, async () => {
    const shown = (await organization.call("GET", `${EXPORTS}/${id}`)).body as Export;
    return shown.status === "completed" && shown;
  });

const download = async (url = ""): Promise<{ status: number; text: string; headers: Headers }> => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

const linesIn = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("an export of events", () => {
  const filters = [{ eventType: "PERMISSION_DENIED", userId: "=guest1" }, {}, { riskLevel: "low", success: true }];
  it.each(sampleOf(filters, 1))(
    "has the events of the list with the same filter in each format: %j",
    async (filter) => {
      const until = Date.now() + 1;
      const query = new URLSearchParams({ until: String(until), ...filter } as Record<string, string>);
      const listed = (await ours.events(String(query))) as unknown as SecurityEvent[];
      expect(listed.length).toBeGreaterThan(15);
      const started = await Promise.all(
        ["ndjson", "csv", "ocsf"].map((format) => ours.call("POST", EXPORTS, { format, until, ...filter })),
      );
      expect(started).toMatchObject(Array(3).fill({ status: 202, body: { kind: "events", requestedBy: "ada" } }));
      const exports = await Promise.all(started.map(({ body }) => completed(ours, (body as Export).id)));
      const texts: string[] = [];
      for (const { files, progress } of exports) {
        const [file] = files;
        const { status, text, headers } = await download(file?.url);
        expect([status, headers.get("content-disposition")]).toEqual([200, expect.stringContaining(file?.name ?? "?")]);
        expect(file).toMatchObject({
          count: listed.length,
          bytes: Buffer.byteLength(text),
          sha256: createHash("sha256").update(text).digest("hex"),
        });
        expect(progress).toEqual({ items: listed.length, bytes: Buffer.byteLength(text) });
        texts.push(text);
      }
      const [ndjson = "", csv = "", ocsf = ""] = texts;
      expect(linesIn(ndjson)).toEqual(listed);
      expect(linesIn(ocsf)).toEqual(JSON.parse(JSON.stringify(listed.map(toOcsf))));
      const [head, ...rows] = parseCsv(csv);
      expect(head).toEqual(CSV_COLUMNS);
      const column = (name: string) => rows.map((cells) => valueOfCell(cells[CSV_COLUMNS.indexOf(name)] ?? ""));
      expect(column("id")).toEqual(listed.map(({ id }) => id));
      expect(column("userId")).toEqual(listed.map(({ userId = "" }) => userId));
      for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    },
  );

  deepIt(
    "is the same for two requests with one Idempotency-Key at the same time, and leaves its events once",
    async () => {
      const others = organizationOf(service, "exports-twice");
      const ask = () => others.call("POST", EXPORTS, { format: "csv" }, undefined, { "idempotency-key": "once" });
      const [one, two] = await Promise.all([ask(), ask()]);
      expect(one.body).toEqual(two.body);
      const { id } = one.body as Export;
      await completed(others, id);
      const { body } = await others.call("GET", EXPORTS);
      expect(body).toMatchObject([{ id, status: "completed", files: [{ name: "events.csv" }] }]);
      expect(JSON.stringify(body)).not.toContain('"url"');
      const kinds = (await others.events("category=compliance")).map(({ eventType }) => eventType);
      expect(kinds.toSorted()).toEqual(["EXPORT_COMPLETED", "EXPORT_REQUESTED"]);
      expect((await others.events("eventType=DATA_READ")).map(({ action }) => action)).toEqual(["read_export"]);
      expect(
        await others.call("POST", EXPORTS, { format: "ocsf" }, undefined, { "idempotency-key": "once" }),
      ).toMatchObject({ status: 409, body: { error: 40905 } });
    },
  );

  it("has a link that works only as it was made, and only for its organization", async () => {
    const { id } = (await ours.call("POST", EXPORTS, { format: "ndjson" })).body as Export;
    const { files } = await completed(ours, id);
    const url = files[0]?.url ?? "";
    expect((await download(url)).status).toBe(200);
    const altered = [
      url.replace(/X-Amz-Expires=900/, "X-Amz-Expires=9000"),
      url.replace(/(X-Amz-Signature=)(.)/, (_, name, digit) => `${name}${digit === "0" ? "1" : "0"}`),
      url.replace(/\?.*/, ""),
    ];
    const statuses = [];
    for (const one of altered) statuses.push((await download(one)).status);
    expect(statuses).toEqual([403, 403, 400]);
    expect(await organizationOf(service, "exports-strangers").call("GET", `${EXPORTS}/${id}`)).toMatchObject({
      status: 404,
      body: { error: 40408 },
    });
  });

  it.each([
    [{}, "format"],
    [{ format: "xlsx" }, "format"],
    [{ format: "csv", category: "none" }, "category"],
    [{ format: "csv", since: "2026-02-30T00:00:00Z" }, "since"],
  ])("is not accepted from %j", async (body, field) => {
    expect(await ours.call("POST", EXPORTS, body)).toMatchObject({
      status: 400,
      body: { error: 40002, message: expect.stringContaining(field) },
    });
  });

  it.each(["billing", "member", "guest"])("is not allowed for the role %s", async (role) => {
    const strangers = organizationOf(service, "exports-roles");
    const calls = [
      strangers.call("POST", EXPORTS, { format: "csv" }, { role }),
      strangers.call("POST", "export", undefined, { role }),
      strangers.call("GET", EXPORTS, undefined, { role }),
      strangers.call("GET", `${EXPORTS}/x`, undefined, { role }),
    ];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});

describe("an export of all data", () => {
  it("has a manifest that proves every file", async () => {
    const webhook = { type: "webhook", name: "SOC", url: "https://soc.example.com/hook?token=of-the-url" };
    const { secret: _, ...destination } = (await ours.call("POST", "notifications", webhook)).body as Record<
      string,
      string
    >;
    const { body: rule } = await ours.call("POST", "detection/custom-rules", {
      name: "Refusals",
      level: "LOW",
      mode: "dryRun",
      filter: { success: false },
      measure: "count",
      windowMinutes: 60,
      condition: { gte: 3 },
    });
    const until = Date.now() + 3_600_000;
    const { body: mute } = await ours.call("POST", "mutes", { rules: ["manual"], until, reason: "quiet" });
    const started = await ours.call("POST", "export", undefined, undefined, { "idempotency-key": "all" });
    expect(started).toMatchObject({ status: 202, body: { kind: "organization" } });
    const { id, files } = await completed(ours, (started.body as Export).id);
    const texts = new Map<string, string>();
    for (const { name, url } of files) texts.set(name, (await download(url)).text);
    const manifest = JSON.parse(texts.get("manifest.json") ?? "");
    expect(manifest).toMatchObject({ organizationId: "exports", exportId: id });
    expect(manifest.files.map(({ name }: { name: string }) => name)).toEqual([...texts.keys()].slice(0, -1));
    for (const { name, bytes, count, sha256 } of manifest.files) {
      const text = texts.get(name) ?? "";
      expect([bytes, sha256]).toEqual([Buffer.byteLength(text), createHash("sha256").update(text).digest("hex")]);
      if (name.endsWith(".ndjson")) expect([name, count]).toEqual([name, linesIn(text).length]);
    }
    expect(JSON.parse(texts.get("settings.json") ?? "")).toEqual((await ours.call("GET", "settings")).body);
    expect(linesIn(texts.get("alerts.ndjson") ?? "").length).toBeGreaterThan(0);
    // The alert of the mute may have failed to reach it by then.
    expect(linesIn(texts.get("destinations.ndjson") ?? "")).toEqual([expect.objectContaining(destination)]);
    expect(linesIn(texts.get("custom-rules.ndjson") ?? "")).toEqual([rule]);
    expect(linesIn(texts.get("mutes.ndjson") ?? "")).toEqual([mute]);
    expect(JSON.parse(texts.get("detection-rules.json") ?? "")).toEqual(
      (await ours.call("GET", "detection/rules")).body,
    );
    expect([...texts.values()].filter((text) => /of-the-url|whsec_/.test(text))).toEqual([]);
  });
});
