/** The rules over the account as an organization sets them, over HTTP. */
import { beforeAll, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";

const HOUR = 3_600_000;

const service = await useService();
const provider = simulatedProvider(service);
const ours = organizationOf(service, "account-rules");
let account: Awaited<ReturnType<typeof provider.account>>;

const alertsOf = async (rule: string) =>
  ((await ours.call("GET", "security/alert")).body as { rule: string; subject: string; level: string }[])
    .filter((alert) => alert.rule === rule)
    .map(({ subject, level }) => `${level} ${subject}`);

const made = async (email: string) => {
  const details = { type: "api_key", api_key: { id: "mk_1Key" } };
  await provider.activity(account.accountId, { type: "api_key_created", actor: { type: "user", email }, details });
};

const readAll = async (entries: number) => {
  await service.advance(HOUR);
  await eventually("the entries are read", async () => {
    const found = await ours.events("eventType=PROVIDER_ACCOUNT_ACTIVITY&since=0");
    return found.length === entries;
  });
};

beforeAll(async () => {
  account = await provider.account(5, { seed: "account-rules" });
  await ours.connect(account.apiKey);
  await ours.lastRun();
  await service.advance(HOUR);
});

it("judges by the settings from the next read on, and previews count what was raised", async () => {
  const RULE = "key_made_by_stranger";
  const put = (settings: object) => ours.call("PUT", `detection/rules/${RULE}`, settings);
  expect(await put({ enabled: false, revision: 0 })).toMatchObject({ status: 200 });
  await made("off@example.com");
  await readAll(1);
  const known = { users: ["robot@example.com"] };
  expect(await put({ enabled: true, level: "LOW", known, revision: 1 })).toMatchObject({
    status: 200,
    body: { thresholds: { knownAfterHours: { value: 24, default: 24, min: 1, max: 168, unit: "hours" } } },
  });
  await made("robot@example.com");
  await made("mallory@example.com");
  await readAll(3);
  await eventually("the finding is an alert", async () => (await alertsOf(RULE)).length > 0);
  expect(await alertsOf(RULE)).toEqual(["LOW actor:mallory@example.com"]);
  await service.advance(2 * HOUR);
  const rule = { rule: RULE, enabled: true, level: "MEDIUM" };
  const { body: requested } = await ours.call("POST", "detection/previews", { days: 1, rule });
  const { id } = requested as { id: string };
  const preview = await eventually("the preview ends", async () => {
    const { body } = await ours.call("GET", `detection/previews/${id}`);
    return (body as { status: string }).status === "succeeded" && body;
  });
  expect(preview).toMatchObject({
    // biome-ignore lint/suspicious/noThenProperty: a field of the API.
    result: { now: { alerts: 1, byLevel: { LOW: 1 } }, then: { alerts: 1, byLevel: { MEDIUM: 1 } } },
  });
});

it("judges a refused call at once, although the key itself is accepted", async () => {
  const RULE = "key_seen_then_refused";
  const details = { type: "api_key", api_key: { id: "mk_1Key" } };
  await provider.activity(account.accountId, { type: "api_key_viewed", details });
  await readAll(4);
  expect(await alertsOf(RULE)).toEqual([]);
  // Only the feed is refused: a read of the account confirms the key.
  const fault = await provider.fail(account.accountId, { kind: "error", status: 401, pathPrefix: "/v1/events" });
  await eventually("the next run starts", async () => (await ours.call("POST", "sync")).status === 202);
  await eventually("the story is an alert", async () => (await alertsOf(RULE)).length > 0);
  expect(await alertsOf(RULE)).toEqual(["CRITICAL account"]);
  await provider.recover(fault);
  expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "connected" });
});

it("can have the rule of the stored key off, which says nothing until it is on again", async () => {
  const put = (settings: object) => ours.call("PUT", "detection/rules/connection_key", settings);
  expect(await put({ enabled: false, revision: 0 })).toMatchObject({ status: 200, body: { thresholds: {} } });
  const apiKey = account.apiKey.replace("sk_test_", "sk_live_");
  expect(await ours.call("PUT", "connection", { method: "api_key", apiKey })).toMatchObject({ status: 200 });
  expect(await alertsOf("connection_key")).toEqual([]);
  expect(await put({ enabled: true, level: "MEDIUM", revision: 1 })).toMatchObject({ status: 200 });
  await eventually("the next run starts", async () => (await ours.call("POST", "sync")).status === 202);
  await eventually("the alert of the key", async () => (await alertsOf("connection_key")).length > 0);
  expect(await alertsOf("connection_key")).toEqual(["MEDIUM unrestricted"]);
});
