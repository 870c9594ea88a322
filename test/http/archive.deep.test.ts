/** The archive in the local cloud: a year and more of hours, exports of what the tables have lost, and an erasure. */
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { archivePrefix, endOfArchive } from "../../shared/archive/archive-hour.ts";
import type { Export } from "../../shared/exports/export.ts";
import { DAY_MS, HOUR_MS, hourName, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { controlOf } from "../support/control.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { storedObjects } from "../support/stored-objects.ts";
import { useService } from "../support/use-service.ts";

const service = await useService();
const { now } = controlOf(service);
const ours = organizationOf(service, "acme/ü");
const prefix = archivePrefix(organizationKey(ours.organizationId));
type Line = Record<string, unknown> & { id: string; metadata?: object };

/** The lines of each object, by the end of its key. */
const archived = async (): Promise<Record<string, Line[]>> => {
  const objects = await storedObjects(service, "archive", prefix);
  return Object.fromEntries(
    [...objects].map(([key, body]) => [
      key.slice(prefix.length),
      gunzipSync(body)
        .toString()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ]),
  );
};
const keyOf = (hour: number) => `${hourName(hour).replace("T", "/")}.ndjson.gz`;

/** Until all hours before this one are closed and written. */
const passHour = async (): Promise<void> => {
  await service.advance(HOUR_MS - ((await now()) % HOUR_MS) + 50 * 60_000);
};

/** The text of a file of an export. */
const exported = async (path: string, body: object | undefined, name: string): Promise<string> => {
  const { id } = (await ours.call("POST", path, body)).body as Export;
  const complete = await eventually("the export is completed", async () => {
    const one = (await ours.call("GET", `security/exports/${id}`)).body as Export;
    return one.status === "completed" && one;
  });
  const file = complete.files.find((one) => one.name === name);
  return (await fetch(file?.url ?? "")).text();
};
const linesIn = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const withoutState = ({ processed, processedAt, alertGenerated, alertLevel, ...event }: Line) => event;

test("what the tables have lost is exported from the archive, without an erased user, for 13 months", async () => {
  // No event is near the end of an hour.
  await service.advance(HOUR_MS - ((await now()) % HOUR_MS) + 60_000);
  const hour = startOfHour(await now());
  expect((await ours.call("GET", "security", undefined, { userId: "eve-the-leaver", role: "guest" })).status).toBe(403);
  const alert = { action: "generate_alert", title: "x", riskLevel: "HIGH" };
  expect((await ours.call("POST", "security/alert", alert)).status).toBe(200);
  await passHour();
  const filter = { since: hour, until: hour + HOUR_MS };
  const before = linesIn(await exported("security/exports", { format: "ndjson", ...filter }, "events.ndjson"));
  expect(before.length).toBeGreaterThanOrEqual(2);
  const object = (await archived())[keyOf(hour)] ?? [];
  expect(object.map(({ index, salt, ...event }) => event)).toEqual([...before].reverse());

  const marked = await ours.call("POST", "security/alert", { action: "mark_processed", eventIds: [before[0]?.id] });
  expect(marked.status).toBe(200);
  await service.advance(91 * DAY_MS, "last");
  expect((await ours.events(`since=${hour}&until=${hour + HOUR_MS}`)).length).toBe(0);
  const after = linesIn(await exported("security/exports", { format: "ndjson", ...filter }, "events.ndjson"));
  expect(after.map(withoutState)).toEqual(before.map(withoutState));
  expect(after.map(({ processed }) => processed)).not.toContain(true);
  const bob = { ...filter, userId: "eve-the-leaver" };
  const csv = await exported("security/exports", { format: "csv", ...bob }, "events.csv");
  expect(csv.trimEnd().split("\r\n")).toHaveLength(2);
  const ocsf = linesIn(await exported("security/exports", { format: "ocsf", ...filter }, "events.ocsf.ndjson"));
  expect(ocsf.map(({ metadata }) => metadata)).toEqual(before.map(({ id }) => expect.objectContaining({ uid: id })));

  const all = await exported("export", undefined, "events.ndjson");
  expect(linesIn(all)).toEqual(expect.arrayContaining(after));
  expect(all).not.toMatch(/"(salt|index|hash|erasure)":/);
  const cut = (await ours.call("POST", "security/exports", { format: "csv", since: 0 })).body as Export;
  expect(endOfArchive((cut.filter?.since ?? 0) - HOUR_MS, 13)).toBeLessThanOrEqual(await now());
  expect((await ours.call("POST", "security/exports", { format: "csv", since: hour, processed: true })).status).toBe(
    400,
  );

  const { id } = (await ours.call("POST", "erasure", { scope: "user", userId: "eve-the-leaver" })).body as {
    id: string;
  };
  await eventually("the erasure is completed", async () => {
    const listed = (await ours.call("GET", "erasure")).body as { id: string; status: string }[];
    return listed.some((one) => one.id === id && one.status === "completed");
  });
  expect(JSON.stringify(await archived())).not.toContain("eve-the-leaver");
  const erased = linesIn(await exported("security/exports", { format: "ndjson", ...filter }, "events.ndjson"));
  expect(erased.map((event) => event.id)).toEqual(before.map((event) => event.id));
  expect(JSON.stringify(erased)).not.toContain("eve-the-leaver");

  const end = endOfArchive(hour, 13);
  while ((await now()) < end - 80 * DAY_MS) await service.advance(80 * DAY_MS, "last");
  // The clock also moves by itself.
  await service.advance(end - (await now()) - 20 * 60_000, "last");
  expect(Object.keys(await archived())).toContain(keyOf(hour));
  await service.advance(HOUR_MS + 20 * 60_000);
  expect(Object.keys(await archived())).not.toContain(keyOf(hour));
});
