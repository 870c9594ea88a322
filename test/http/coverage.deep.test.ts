/** The sums of days in the local cloud: they are equal, an event that vanishes makes them unequal, and its return equal again. */
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "@jest/globals";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import type { Coverage } from "../../shared/completeness/coverage.ts";
import { DAY_MS, dayName, HOUR_MS, startOfDay } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { controlOf } from "../support/control.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useService } from "../support/use-service.ts";

const service = await useService();
const { now, fire } = controlOf(service);
const ours = organizationOf(service, "acme/ü");

const coverageOf = async (month: string): Promise<Coverage> => {
  const { status, body } = await ours.call("GET", `security/coverage?month=${month}`);
  expect(status).toBe(200);
  return body as Coverage;
};

type Alert = { rule: string; subject: string; level: string; status: string; message?: string };
const incomplete = async (): Promise<Alert[]> =>
  ((await ours.call("GET", "security/alert?limit=1000")).body as Alert[]).filter(
    ({ rule }) => rule === "evidence_incomplete",
  );

/** Until the night of a day is over, with every schedule of the hours in between. */
const passNight = async (day: number): Promise<void> => {
  await service.advance(day + DAY_MS + 3 * HOUR_MS + 20 * 60_000 - (await now()));
};

test("the sums of a day are equal until an event vanishes, which raises an alert until it is back", async () => {
  // The log begins in the day before the one that is watched.
  await service.advance(HOUR_MS - ((await now()) % HOUR_MS) + 50 * 60_000);
  await service.advance(DAY_MS - ((await now()) % DAY_MS) + 5 * 60_000);
  const day = startOfDay(await now());
  const name = dayName(day);
  const month = name.slice(0, 7);
  const switched = { ipAllowlist: [], recordAccess: { member: [], guest: [] }, siemFeed: true };
  expect((await ours.call("PUT", "settings", switched)).status).toBe(200);
  const alert = { action: "generate_alert", title: "x", riskLevel: "HIGH" };
  expect((await ours.call("POST", "security/alert", alert)).status).toBe(200);
  await service.advance(2 * HOUR_MS);
  expect((await ours.call("GET", "security", undefined, { userId: "eve", role: "guest" })).status).toBe(403);
  expect((await coverageOf(month)).days.map((one) => one.day)).not.toContain(name);

  await passNight(day);
  const events = await ours.events(`since=${day}&until=${day + DAY_MS}`);
  const whole = await coverageOf(month);
  const sums = whole.days.find((one) => one.day === name);
  const count = events.length;
  expect(sums).toMatchObject({ recorded: count, counted: count, sealed: count, archived: count, fed: count });
  expect(count).toBeGreaterThanOrEqual(3);
  expect((sums?.judgedHours ?? 0) + (sums?.notJudged.length ?? 0)).toBe(24);
  expect(sums?.judgedHours).toBeGreaterThanOrEqual(2);
  expect(sums?.notJudged.every(({ hour, reason }) => hour >= day && reason === "no_events")).toBe(true);
  expect(whole.isWhole).toBe(true);
  expect(whole.rules).toMatchObject({ repeated_auth_failures: [expect.any(Number)] });
  expect(whole.days.map((one) => one.day)).toEqual(whole.days.map((one) => one.day).sort());
  expect(await incomplete()).toEqual([]);
  const report = (await ours.call("GET", `reports/compliance-${name}`)).body as { integrity: object };
  expect(report.integrity).toMatchObject({ log: "consistent", isWhole: true });

  const client = DynamoDBDocumentClient.from(engineClient(service.stack.dynamodbUrl));
  const TableName = service.stack.tables.find((one) => one.includes("TablesSecurityEvents"));
  const Key = { scope: organizationKey(ours.organizationId), id: events[0]?.id };
  const { Item } = await client.send(new GetCommand({ TableName, Key }));
  await client.send(new DeleteCommand({ TableName, Key }));
  await passNight(day + DAY_MS);
  const broken = await coverageOf(month);
  expect(broken.isWhole).toBe(false);
  expect(broken.days.find((one) => one.day === name)).toMatchObject({
    recorded: count - 1,
    counted: count,
    sealed: count,
    archived: count,
    fed: count,
  });
  expect(await incomplete()).toMatchObject([{ subject: name, level: "HIGH", status: "open" }]);
  expect((await incomplete())[0]?.message).toContain(" recorded, ");

  // Another night finds the same, and raises nothing further.
  await passNight(day + 2 * DAY_MS);
  expect(await incomplete()).toMatchObject([{ subject: name, status: "open", count: 1 }]);

  await client.send(new PutCommand({ TableName, Item }));
  await passNight(day + 3 * DAY_MS);
  expect((await coverageOf(month)).isWhole).toBe(true);
  expect(await incomplete()).toMatchObject([{ subject: name, status: "resolved" }]);
  // Once a night is done, there is nothing to do.
  await fire(/sum-security-days/);
  expect((await coverageOf(month)).isWhole).toBe(true);

  // An erasure empties events, and deletes what says that hours were judged: no sum changes.
  const { id } = (await ours.call("POST", "erasure", { scope: "all" })).body as { id: string };
  await eventually("the erasure is completed", async () => {
    const listed = (await ours.call("GET", "erasure")).body as { id: string; status: string }[];
    return listed.some((one) => one.id === id && one.status === "completed");
  });
  await passNight(day + 4 * DAY_MS);
  const erased = await coverageOf(month);
  expect(erased.isWhole).toBe(true);
  const { recorded, counted, sealed, archived, judgedHours } = sums ?? {};
  const kept = { recorded, counted, sealed, archived, judgedHours };
  expect(erased.days.find((one) => one.day === name)).toMatchObject(kept);
});

test("months in the future have no days, another organization sees its own, and other months are refused", async () => {
  expect(await coverageOf("2999-01")).toEqual({ days: [], rules: {}, isWhole: true });
  const strangers = organizationOf(service, "strangers");
  const month = dayName(await now()).slice(0, 7);
  expect((await strangers.call("GET", `security/coverage?month=${month}`)).body).toEqual({
    days: [],
    rules: {},
    isWhole: true,
  });
  for (const role of ["member", "guest", "billing"])
    expect((await ours.call("GET", `security/coverage?month=${month}`, undefined, { role })).status).toBe(403);
  for (const path of ["", "?month=", "?month=2026", "?month=2026-13", "?month=2026-1", `?month=${month}&day=1`]) {
    const { status, body } = await ours.call("GET", `security/coverage${path}`);
    expect([path, status, body]).toEqual([path, 400, { error: expect.any(Number), message: expect.any(String) }]);
  }
});
