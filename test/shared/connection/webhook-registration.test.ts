import { beforeEach, describe, expect, it } from "@jest/globals";
import { validSecrets } from "../../../shared/connection/webhook-secrets.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { useConnections } from "./connection-table.ts";
import { createWorld, forbidden, invalidRequest, noAnswer, rateLimited, serverError } from "./world.ts";

quietLog();

const table = useConnections();
const world = usePerTest(() => createWorld(table.stores));
let organizations = 0;
let org = "";

beforeEach(() => {
  org = `acme ${++organizations}`;
  world.provider.secrets.set("sk_1", "acct_1");
});

const connect = (more: object = { registerWebhook: true }, who = world) =>
  who.connect({ method: "api_key", apiKey: "sk_1", ...more }, org);
const url = () => `https://hooks.example/${encodeURIComponent(org)}`;
const endpoints = () => [...world.provider.endpoints.keys()];
const stored = () => world.stores.connections.read(org);
const secrets = async (): Promise<string[]> => {
  const connection = await stored();
  if (connection.status === "disconnected" || connection.webhookSecrets === undefined) return [];
  return validSecrets(await world.secrets.openWebhookSecrets(org, connection.webhookSecrets), world.now);
};
/** The requests about endpoints that the provider receives concurrently. */
const during = async (work: () => Promise<unknown>): Promise<string[]> => {
  const before = world.provider.asked.length;
  await work();
  return world.provider.asked.slice(before).filter((request) => request.includes("endpoint"));
};
const failOn = (request: string, error: () => Error) => {
  world.provider.before = (asked) => {
    if (asked === request) throw error();
  };
};

describe("registering the webhook", () => {
  it("creates the endpoint at the organization's URL, and stores its secret", async () => {
    const shown = await connect();
    const [id = ""] = endpoints();
    expect(world.provider.endpoints.get(id)).toEqual({ url: url(), isCurrent: true });
    expect(await secrets()).toEqual([`whsec_of_${id}`]);
    expect(shown.webhookSetup).toMatchObject({ url: url(), endpointId: id });
    expect(JSON.stringify([shown, world.events])).not.toContain("whsec_");
  });

  it("creates no second endpoint if it is repeated", async () => {
    const first = await connect();
    const kept = await secrets();
    expect(await during(connect)).toEqual(["list endpoints"]);
    expect((await connect()).webhookSetup).toEqual(first.webhookSetup);
    expect([endpoints(), await secrets()]).toEqual([[first.webhookSetup?.endpointId], kept]);
  });

  it("replaces an endpoint whose answer was lost", async () => {
    world.provider.afterCreation = async () => {
      throw noAnswer();
    };
    await expect(connect()).rejects.toMatchObject({ code: "provider_unavailable" });
    await expect(stored()).resolves.toMatchObject({ status: "disconnected" });
    expect(endpoints()).toHaveLength(1);
    world.provider.afterCreation = async () => {};
    const shown = await connect();
    expect(endpoints()).toEqual([shown.webhookSetup?.endpointId]);
    expect(await secrets()).toEqual([`whsec_of_${endpoints()[0]}`]);
  });

  it.each([
    [
      "that is disabled or lacks event types",
      async () => {
        await connect();
        for (const endpoint of world.provider.endpoints.values()) endpoint.isCurrent = false;
      },
    ],
    [
      "that somebody made by hand",
      async () => void world.provider.endpoints.set("we_hand", { url: url(), isCurrent: true }),
    ],
  ])("replaces an endpoint %s", async (_, prepare) => {
    await prepare();
    const [old] = endpoints();
    const shown = await connect();
    expect(endpoints()).toEqual([shown.webhookSetup?.endpointId]);
    expect(endpoints()).not.toContain(old);
    expect(await secrets()).toEqual([`whsec_of_${endpoints()[0]}`]);
  });

  it("leaves endpoints at other URLs alone", async () => {
    world.provider.endpoints.set("we_other", { url: `${url()}x`, isCurrent: true });
    await connect();
    await connect();
    expect(endpoints()).toHaveLength(2);
  });

  it.each([
    ["may not", forbidden, "webhook_not_registered", 'it needs the permission "Webhook Endpoints: write"'],
    ["asks for what the provider considers invalid", invalidRequest, "webhook_not_registered", "(url_invalid)"],
    ["meets a failure", serverError, "provider_unavailable", ""],
    ["gets no answer", noAnswer, "provider_unavailable", ""],
    ["is limited", rateLimited, "provider_unavailable", ""],
  ])("by a key that %s stores nothing", async (_, error, code, message) => {
    for (const request of ["list endpoints", "create endpoint"]) {
      failOn(request, error);
      await expect(connect()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
      await expect(stored()).resolves.toMatchObject({ status: "disconnected" });
      expect([endpoints(), world.steps]).toEqual([[], []]);
    }
  });

  it("is refused before the provider is asked if the deployment has no webhook URL", async () => {
    world.webhookUrlOf = () => undefined;
    await expect(connect()).rejects.toMatchObject({ code: "webhook_url_missing" });
    expect(world.provider.asked).toEqual([]);
    expect((await connect({})).webhookSetup).not.toHaveProperty("url");
  });

  it("removes the endpoint again if the connection cannot be stored", async () => {
    await connect({});
    const { connectionId } = (await stored()) as { connectionId: string };
    await world.stores.claims.claimRecords(org, { connectionId, accountId: "acct_1" });
    world.provider.secrets.set("sk_1", "acct_2");
    await expect(connect()).rejects.toMatchObject({ code: "other_account" });
    expect(endpoints()).toEqual([]);
  });

  it("leaves one endpoint, whose secret is stored, if two requests race", async () => {
    const other = { ...world, ...createWorld(table.stores, world.provider) };
    await Promise.all([connect(), connect({ registerWebhook: true }, other)]);
    const connection = await stored();
    expect(connection).toMatchObject({ webhookEndpointId: endpoints()[0] });
    expect(endpoints()).toHaveLength(1);
    expect(await secrets()).toEqual([`whsec_of_${endpoints()[0]}`]);
  });

  it("leaves one endpoint, whose secret is stored, if another request overtakes it", async () => {
    const other = createWorld(table.stores, world.provider);
    world.provider.afterCreation = async () => {
      world.provider.afterCreation = async () => {};
      await connect({ registerWebhook: true }, other);
    };
    const shown = await connect();
    expect(endpoints()).toEqual([shown.webhookSetup?.endpointId]);
    expect(await secrets()).toEqual([`whsec_of_${endpoints()[0]}`]);
  });
});

describe("the registered endpoint", () => {
  it("stays if the account is connected again without secrets, and is removed if it is connected with others", async () => {
    await connect();
    const [id] = endpoints();
    expect((await connect({})).webhookSetup?.endpointId).toBe(id);
    expect(await secrets()).toEqual([`whsec_of_${id}`]);
    const shown = await connect({ webhookSecret: "by hand" });
    expect(shown.webhookSetup).not.toHaveProperty("endpointId");
    expect([endpoints(), await secrets()]).toEqual([[], ["by hand"]]);
  });

  it("is removed by a disconnect, after the connection is gone", async () => {
    await connect();
    world.provider.endpoints.set("we_other", { url: `${url()}x`, isCurrent: true });
    await world.disconnectByUser(org);
    expect(endpoints()).toEqual(["we_other"]);
    await expect(stored()).resolves.toMatchObject({ status: "disconnected" });
    expect(await during(() => world.disconnectByUser(org))).toEqual([]);
  });

  it("stays at the provider if it cannot be removed, or if there are no credentials, and the disconnect succeeds", async () => {
    await connect();
    failOn("remove endpoint", serverError);
    await world.disconnectByUser(org);
    await expect(stored()).resolves.toMatchObject({ status: "disconnected" });
    expect(endpoints()).toHaveLength(1);
    world.provider.before = () => {};
    await connect();
    world.provider.secrets.clear();
    await expect((await world.openConnection(org)).credentials.refused("sk_1")).rejects.toThrow("rejects");
    expect(await during(() => world.disconnectByUser(org))).toEqual([]);
    await expect(stored()).resolves.toMatchObject({ status: "disconnected" });
  });

  it("that cannot be removed fails nothing", async () => {
    await connect();
    failOn("remove endpoint", serverError);
    await expect(connect({ webhookSecret: "by hand" })).resolves.toMatchObject({ status: "connected" });
  });
});

it("tells what to set up for an API key, and nothing for OAuth", async () => {
  const before = await world.view(org, { status: "disconnected" });
  expect(before.webhookSetup?.eventTypes).toEqual(expect.arrayContaining(["customer.created", "invoice.paid"]));
  expect(before.webhookSetup?.eventTypes).not.toContain("account.application.deauthorized");
  expect(before.webhookSetup?.keyPermissions).toContainEqual({
    resource: "Customers",
    access: "read",
    name: "rak_customer_read",
    requiredFor: "sync",
  });
  await world.connectByOAuth(org);
  const connection = await stored();
  expect(await world.view(org, { ...connection, webhookEndpointId: undefined })).not.toHaveProperty("webhookSetup");
});
