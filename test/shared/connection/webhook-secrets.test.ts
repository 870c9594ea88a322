import { beforeEach, describe, expect, it } from "@jest/globals";
import { replaceSecrets, validSecrets } from "../../../shared/connection/webhook-secrets.ts";
import { usePerTest } from "../../support/use-started.ts";
import { useConnections } from "./connection-table.ts";
import { createWorld, NOON } from "./world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const table = useConnections();
const world = usePerTest(() => createWorld(table.stores));
let organizations = 0;
let org = "";

beforeEach(() => {
  org = `acme ${++organizations}`;
  world.provider.secrets.set("sk_1", "acct_1");
});

const connect = (more: object = {}) => world.connect({ method: "api_key", apiKey: "sk_1", ...more }, org);
/** The secrets that verify a delivery now. */
const valid = async (who = world): Promise<string[]> => {
  const stored = await who.stores.connections.read(org);
  if (stored.status === "disconnected" || stored.webhookSecrets === undefined) return [];
  return validSecrets(await who.secrets.openWebhookSecrets(org, stored.webhookSecrets), who.now).sort();
};
const changes = () => world.events.filter(({ eventType }) => eventType === "WEBHOOK_SECRETS_CHANGED");

describe("replaced webhook secrets", () => {
  it("stay valid for exactly a day", async () => {
    await connect({ webhookSecret: "old" });
    await world.changeWebhookSecrets(["new", "newer"], org);
    expect(await valid()).toEqual(["new", "newer", "old"]);
    world.now = NOON + DAY - 1;
    expect(await valid()).toEqual(["new", "newer", "old"]);
    world.now++;
    expect(await valid()).toEqual(["new", "newer"]);
  });

  it("are neither prolonged nor dropped by the same request again, which leaves no event", async () => {
    await connect({ webhookSecret: "old" });
    await world.changeWebhookSecrets(["new"], org);
    for (let hour = 1; hour < 24; hour++) {
      world.now = NOON + hour * HOUR;
      await world.changeWebhookSecrets(["new", "new"], org);
      expect(await valid()).toEqual(["new", "old"]);
    }
    world.now = NOON + DAY;
    expect(await valid()).toEqual(["new"]);
    expect(changes()).toHaveLength(1);
  });

  it("become current again if they are given again", async () => {
    await connect({ webhookSecret: "old" });
    await world.changeWebhookSecrets(["new"], org);
    await world.changeWebhookSecrets(["old"], org);
    world.now = NOON + DAY;
    expect(await valid()).toEqual(["old"]);
  });

  it("are bounded: those that were replaced first are dropped first", () => {
    let stored = replaceSecrets([], ["s0"], NOON)?.stored ?? [];
    for (let i = 1; i <= 20; i++) stored = replaceSecrets(stored, [`s${i}`], NOON + i)?.stored ?? [];
    expect(validSecrets(stored, NOON + 20)).toEqual(["s20", ...Array.from({ length: 16 }, (_, i) => `s${i + 4}`)]);
  });

  it("end at once if the account is connected with other secrets, and stay if it is connected without", async () => {
    await connect({ webhookSecret: "old" });
    await world.changeWebhookSecrets(["new"], org);
    await connect();
    expect(await valid()).toEqual(["new", "old"]);
    await connect({ webhookSecret: "newest" });
    expect(await valid()).toEqual(["newest"]);
  });
});

describe("a change of webhook secrets", () => {
  it("shows the connection, starts no sync, asks the provider nothing and names its author", async () => {
    const { connectedAt } = await connect();
    const [asked, steps] = [world.provider.asked.length, world.steps.length];
    const shown = await world.changeWebhookSecrets(["secret of ours"], org, "grace");
    expect(shown).toMatchObject({ status: "connected", accountId: "acct_1", connectedAt });
    expect([world.provider.asked.length, world.steps.length]).toEqual([asked, steps]);
    expect(changes()).toEqual([
      {
        organizationId: org,
        source: "user",
        userId: "grace",
        sessionId: "session-1",
        ipAddress: "192.0.2.1",
        userAgent: "jest",
        eventType: "WEBHOOK_SECRETS_CHANGED",
        category: "compliance",
        riskLevel: "MEDIUM",
        resource: "acct_1",
        resourceType: "provider_account",
        success: true,
        action: "change_webhook_secrets",
        metadata: { requestId: "request-1", current: 1, replaced: 0 },
      },
    ]);
    expect(JSON.stringify([world.events, shown])).not.toContain("secret of ours");
  });

  it("needs a connection, which may wait to be connected again", async () => {
    await expect(world.changeWebhookSecrets(["new"], org)).rejects.toMatchObject({ code: "not_connected" });
    await connect();
    world.provider.secrets.clear();
    await expect((await world.openConnection(org)).credentials.refused("sk_1")).rejects.toThrow("rejects");
    const shown = await world.changeWebhookSecrets(["new"], org);
    expect(shown).toMatchObject({ status: "needs_reconnect" });
    expect(await valid()).toEqual(["new"]);
    await world.disconnect(org);
    await expect(world.changeWebhookSecrets(["new"], org)).rejects.toMatchObject({ code: "not_connected" });
  });

  it("is not lost among concurrent ones: one set is current, the others stay valid for a day", async () => {
    await connect({ webhookSecret: "old" });
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map((name) => world.changeWebhookSecrets([name], org)));
    expect(await valid()).toEqual([...names, "old"]);
    world.now += DAY;
    const [current, ...others] = await valid();
    expect(names).toContain(current);
    expect(others).toEqual([]);
    expect(changes()).toHaveLength(5);
  });

  it("is recorded by the next change if the process dies before", async () => {
    await connect();
    world.isRecording = false;
    await expect(world.changeWebhookSecrets(["a"], org)).rejects.toThrow("died");
    world.isRecording = true;
    await world.changeWebhookSecrets(["a"], org);
    expect(changes()).toHaveLength(1);
    await world.changeWebhookSecrets(["b"], org);
    expect(changes()).toHaveLength(2);
  });
});

it("a change keeps only replaced secrets that are still valid, each once", () => {
  const before = [
    { secret: "current" },
    { secret: "expired", validUntil: NOON - 1 },
    { secret: "expires", validUntil: NOON },
    { secret: "valid", validUntil: NOON + 1 },
    { secret: "again", validUntil: NOON + 1 },
  ];
  expect(replaceSecrets(before, ["next", "again"], NOON)).toEqual({
    stored: [
      { secret: "next" },
      { secret: "again" },
      { secret: "valid", validUntil: NOON + 1 },
      { secret: "current", validUntil: NOON + DAY },
    ],
    replaced: 1,
  });
});
