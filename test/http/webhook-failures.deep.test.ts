import { describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { eventually } from "../support/integration.ts";
import { providerObjects } from "../support/provider-objects.ts";
import { AWS_CALLER, assemblyWithCode } from "../support/replaced-function.ts";
import { type ServiceOptions, startService } from "../support/service.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { connectedOrganization, useAlteredAssemblies } from "../support/use-service.ts";

const MINUTE = 60_000;

const assemblies = useAlteredAssemblies();

/** A service with one organization, connected to an account of ten objects. */
const connected = async (options: ServiceOptions = {}) => {
  const service = await startService(options);
  const { ours, account, sender } = await connectedOrganization(service, "acme", 10);
  const customerOf = async (id: string) => (await ours.records("customers")).find((record) => record.id === id);
  return {
    service,
    provider: simulatedProvider(service),
    control: controlOf(service),
    ours,
    account,
    sender,
    customerOf,
    [Symbol.asyncDispose]: service.stop,
  };
};

describe("an event that cannot be processed", () => {
  it("is tried ten times, then kept with an alarm, and applied when it is replayed or its dead letter is redriven", async () => {
    await using test = await connected();
    const { service, provider, control, ours, account, customerOf, sender } = test;
    const create = async () => {
      const { objects } = await provider.change(account.accountId, { action: "create_customer" });
      const [event] = await providerObjects(service, account.apiKey).events();
      return { id: objects[0]?.id ?? "", event, eventId: String(event?.id) };
    };
    const replayed = await create();
    const redriven = await create();
    const deliveryOf = async (eventId: string) =>
      ((await ours.call("GET", "webhooks")).body as { id: string }[]).find(({ id }) => id === eventId);
    // An old event is only applied after reading the object from the provider, which fails.
    await service.advance(2 * MINUTE);
    await provider.fail(account.accountId, { kind: "error", status: 500 });
    for (const { event } of [replayed, redriven]) expect(await sender.send(event)).toMatchObject({ status: 200 });
    await service.advance(0);
    const changes = [{ type: "customers", id: replayed.id }];
    const waiting = { status: "waiting", attempts: 1, error: expect.stringMatching(/\S/), changes };
    expect(await deliveryOf(replayed.eventId)).toMatchObject(waiting);
    const early = await ours.call("POST", `webhooks/${replayed.eventId}/replay`);
    expect(early).toMatchObject({ status: 409, body: { error: 40908 } });
    for (let received = 1; received <= 10; received++) {
      expect((await control.queue(/webhook.*deadletters/i)).depth).toMatchObject({ visible: 0 });
      await service.advance(6 * MINUTE + 1_000);
    }
    const { name, depth } = await control.queue(/webhook.*deadletters/i);
    expect(depth).toMatchObject({ visible: 2 });
    expect(await customerOf(replayed.id)).toBeUndefined();
    const recorded = { source: "webhook", riskLevel: "MEDIUM", success: false };
    const notApplied = await ours.events("eventType=WEBHOOK_NOT_APPLIED");
    expect(notApplied).toMatchObject([recorded, recorded]);
    const named = notApplied.map(({ metadata }) => (metadata as { eventId: string }).eventId);
    expect(named.sort()).toEqual([replayed.eventId, redriven.eventId].sort());
    const failed = (await ours.call("GET", "webhooks?status=failed")).body as object[];
    expect(failed).toHaveLength(2);
    expect(failed).toContainEqual(expect.objectContaining({ id: replayed.eventId, status: "failed", attempts: 10 }));

    // The provider sends the event again, which does nothing.
    expect(await sender.send(replayed.event)).toMatchObject({ status: 200 });
    await service.advance(0);
    expect(await deliveryOf(replayed.eventId)).toMatchObject({ status: "failed" });

    await provider.recover();
    await ours.call("POST", "circuit-breaker", { action: "reset" });
    const answer = await ours.call("POST", `webhooks/${replayed.eventId}/replay`);
    expect(answer).toMatchObject({ status: 202, body: { status: "waiting" } });
    await service.advance(0);
    const applied = await deliveryOf(replayed.eventId);
    expect(applied).toMatchObject({ status: "applied", attempts: 1, changes: [{ ...changes[0], written: true }] });
    const record = await customerOf(replayed.id);
    expect(record).toMatchObject({ deleted: false });
    expect(await deliveryOf(redriven.eventId)).toMatchObject({ status: "failed" });

    // The dead letter of the replayed event is still there, and has no effect.
    expect(await control.redrive(name)).toMatchObject({ moved: 2 });
    await service.advance(0);
    expect(await customerOf(redriven.id)).toMatchObject({ deleted: false });
    expect(await deliveryOf(redriven.eventId)).toMatchObject({ status: "applied" });
    expect(await deliveryOf(replayed.eventId)).toEqual(applied);
    expect(await customerOf(replayed.id)).toEqual(record);
    expect(await control.queue(/webhook.*deadletters/i)).toMatchObject({ depth: { visible: 0 } });
    expect(service.denials).toEqual([]);
  });
});

describe("while the role denies a call", () => {
  const ofTheUrl = (action: string) => (right: { role: string; action: string; resource: string }) =>
    right.role.includes("ReceiveWebhook") && right.action === action;

  it.each([
    ["to read connections", "dynamodb:GetItem", "Connections"],
    ["to store events", "dynamodb:PutItem", "WebhookEvents"],
    ["to open secrets", "kms:Decrypt", ""],
  ])("%s, deliveries are to be sent again", async (_, action, table) => {
    const matches = ofTheUrl(action);
    const assembly = assemblies.without((right) => matches(right) && right.resource.includes(table));
    await using test = await connected({ assembly });
    const { service, sender, customerOf } = test;
    const answer = await sender.send(await sender.customerEvent("created", "cus_denied"));
    expect(answer).toMatchObject({ status: 503, text: expect.stringContaining('"error":50301') });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(service.denials).toContainEqual(expect.objectContaining({ action }));
    await service.advance(0);
    expect(await customerOf("cus_denied")).toBeUndefined();
  });

  it("to publish, deliveries are to be sent again, and the hourly schedule publishes stored events", async () => {
    const assembly = assemblies.without(ofTheUrl("events:PutEvents"));
    await using test = await connected({ assembly });
    const { service, sender, ours, customerOf, control } = test;
    const event = await sender.customerEvent("created", "cus_pending");
    for (let attempt = 1; attempt <= 2; attempt++) expect(await sender.send(event)).toMatchObject({ status: 503 });
    await service.advance(0);
    expect(await customerOf("cus_pending")).toBeUndefined();
    expect(await ours.events("eventType=WEBHOOK_RECEIVED")).toMatchObject([
      { success: false, riskLevel: "MEDIUM" },
      { success: false, riskLevel: "MEDIUM" },
    ]);

    await service.advance(2 * MINUTE);
    await control.fire(/hand-over/);
    // The event is late by now, and the provider has no such customer.
    await eventually("it was processed", async () => /"?handedOver"?:\s*1/.test(service.logged()));
    expect((await customerOf("cus_pending"))?.deleted ?? true).toBe(true);
  });
});

describe("the role of the webhook function", () => {
  it("may not decrypt API keys, read records, or invoke, write or list anything else", async () => {
    const { directory } = assemblyWithCode("ReceiveWebhook", AWS_CALLER);
    await using test = await connected({ assembly: directory });
    const { service } = test;
    const table = (name: string) => service.stack.tables.find((one) => one.includes(name)) ?? "";
    const call = async (service_: string, target: string, input: object) => {
      const version = service_ === "kms" ? "1.1" : "1.0";
      const body = JSON.stringify({ service: service_, target, version, input });
      const response = await fetch(`${service.stack.webhookUrl}/acme`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      return { status: response.status, body: JSON.parse(await response.text()) as Record<string, unknown> };
    };
    const dynamodb = (operation: string, input: object) => call("dynamodb", `DynamoDB_20120810.${operation}`, input);
    const kms = (operation: string, input: object) => call("kms", `TrentService.${operation}`, input);
    const denied = { status: 400, body: { __type: expect.stringContaining("AccessDenied") } };

    // Shows that the calls are well formed and that the role has its own rights.
    const Key = { id: { S: "org#acme" } };
    const own = await dynamodb("GetItem", { TableName: table("Connections"), Key });
    expect(own).toMatchObject({ status: 200, body: { Item: { accountId: { S: expect.any(String) } } } });
    const { Item } = own.body as { Item: Record<string, { B: string }> };
    const dataKey = (name: string) => {
      const sealed = Buffer.from(Item[name]?.B ?? "", "base64");
      return sealed.subarray(3, 3 + sealed.readUInt16BE(1)).toString("base64");
    };
    const open = (name: string, purpose: string) =>
      kms("Decrypt", { CiphertextBlob: dataKey(name), EncryptionContext: { organization: "org#acme", purpose } });
    expect(await open("webhookSecrets", "webhook-secrets")).toMatchObject({ status: 200 });

    expect(await open("credentials", "provider-credentials")).toMatchObject(denied);
    // Decryption with another encryption context fails, too.
    expect(await open("credentials", "webhook-secrets")).toMatchObject({ status: 400 });
    expect(await kms("GenerateDataKey", { EncryptionContext: {}, KeySpec: "AES_256" })).toMatchObject(denied);
    const scope = { S: "org#acme" };
    for (const [operation, input] of [
      ["GetItem", { TableName: table("Records"), Key: { scope, id: { S: "customers#x" } } }],
      ["Scan", { TableName: table("Records") }],
      ["Scan", { TableName: table("Connections") }],
      ["Scan", { TableName: table("WebhookEvents") }],
      ["PutItem", { TableName: table("Connections"), Item: Key }],
      ["UpdateItem", { TableName: table("Connections"), Key, UpdateExpression: "SET a = id" }],
      ["DeleteItem", { TableName: table("Connections"), Key }],
      ["Scan", { TableName: table("SecurityEvents") }],
      ["Scan", { TableName: table("Plants") }],
    ] as const) {
      expect({ operation, ...(await dynamodb(operation, input)) }).toMatchObject({ operation, ...denied });
    }
  });
});
