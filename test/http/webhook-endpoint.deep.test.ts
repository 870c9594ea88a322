/** The webhook endpoint that `registerWebhook` made, over HTTP: what it lacks, its update, and changes by others. */
import { beforeAll, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { providerSdk } from "../support/provider-objects.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";

const HOUR = 3_600_000;
const PATH = "connection/webhook-endpoint";

const service = await useService();
const provider = simulatedProvider(service);
const ours = organizationOf(service, "endpoint");
let sdk: ReturnType<typeof providerSdk>;
let account: Awaited<ReturnType<typeof provider.account>>;
let endpointId = "";
let eventTypes: string[] = [];

type View = { missing: { eventTypes: string[] }; webhookSetup: { endpointId?: string; eventTypes: string[] } };
const missing = async () => ((await ours.call("GET", "connection")).body as View).missing.eventTypes;
const tampered = async () =>
  ((await ours.call("GET", "security/alert")).body as { rule: string; subject: string; level: string; count: number }[])
    .filter(({ rule }) => rule === "endpoint_tampered")
    .map(({ subject, level, count }) => ({ subject, level, count }));
const sweeps = async () => (await ours.runs()).filter(({ trigger }) => trigger === "webhook_gap");

beforeAll(async () => {
  account = await provider.account(5, { seed: "endpoint" });
  sdk = providerSdk(service, account.apiKey);
  const { body } = await ours.connect(account.apiKey, { registerWebhook: true });
  const { webhookSetup } = body as View;
  endpointId = webhookSetup.endpointId ?? "";
  eventTypes = webhookSetup.eventTypes;
  await ours.lastRun();
  // The first read of the account's log raises nothing.
  await service.advance(HOUR);
});

it("lacks no type of event when it was registered", async () => {
  expect(endpointId).toMatch(/^we_/);
  expect(await missing()).toEqual([]);
  expect(await sweeps()).toEqual([]);
});

it("is looked at once a day, and a change by others is an alert and a sweep at once", async () => {
  await sdk.webhookEndpoints.update(endpointId, {
    enabled_events: ["customer.created", "invoice.paid"],
  });
  await service.advance(HOUR);
  await eventually("the change is an alert", async () => (await tampered()).length > 0);
  expect(await tampered()).toEqual([{ subject: `endpoint:${endpointId}`, level: "HIGH", count: 1 }]);
  await eventually("the sweep has run", async () => (await sweeps())[0]?.status === "succeeded");
  // Not a day has passed since the registration.
  expect(await missing()).toEqual([]);
  await service.advance(24 * HOUR);
  await eventually("the look of the day", async () => (await missing()).length > 0);
  expect(await missing()).toEqual(eventTypes.filter((type) => !["customer.created", "invoice.paid"].includes(type)));
});

it("is updated with the stored key, which is no change by others", async () => {
  expect(await ours.call("PUT", PATH, undefined, { role: "member" })).toMatchObject({ status: 403 });
  const updated = await ours.call("PUT", PATH);
  expect(updated).toMatchObject({ status: 200, body: { status: "connected", missing: { eventTypes: [] } } });
  expect(updated.text).not.toMatch(/whsec_|sk_test_/);
  expect(await missing()).toEqual([]);
  expect(await ours.call("PUT", PATH)).toMatchObject({ status: 200 });
  const { status, enabled_events: enabled } = await sdk.webhookEndpoints.retrieve(endpointId);
  expect([status, enabled]).toEqual(["enabled", eventTypes]);
  await service.advance(2 * HOUR);
  expect(await tampered()).toMatchObject([{ count: 1 }]);
});

it("refuses an update that the provider refuses, and one without an endpoint or a connection", async () => {
  const fault = await provider.fail(account.accountId, {
    kind: "error",
    status: 403,
    pathPrefix: "/v1/webhook_endpoints",
  });
  expect(await ours.call("PUT", PATH)).toMatchObject({ status: 422, body: { error: 42202 } });
  // A key that has lost the permission raises no alert, and what was seen before stays.
  await service.advance(25 * HOUR);
  expect(await missing()).toEqual([]);
  await provider.recover(fault);
  const looks = (await ours.events("success=false&since=0")).filter(
    ({ action }) => action === "list_webhook_endpoints",
  );
  expect(looks.map(({ riskLevel, eventType }) => [riskLevel, eventType])).toEqual([["LOW", "PROVIDER_REQUEST"]]);
  const others = organizationOf(service, "endpoint-others");
  expect(await others.call("PUT", PATH)).toMatchObject({ status: 409, body: { error: 40903 } });
  await others.connect((await provider.account(1, { seed: "endpoint-others" })).apiKey);
  expect(await others.call("PUT", PATH)).toMatchObject({ status: 422, body: { error: 42202 } });
});

it("lacks everything once others have deleted it, which is an alert", async () => {
  await sdk.webhookEndpoints.del(endpointId);
  expect(await ours.call("PUT", PATH)).toMatchObject({ status: 422, body: { error: 42202 } });
  await service.advance(25 * HOUR);
  await eventually("the look of the day", async () => (await missing()).length > 0);
  expect(await missing()).toEqual(eventTypes);
});
