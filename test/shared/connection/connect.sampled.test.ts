import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { CircuitOpenError } from "../../../shared/circuit-breaker/guard.ts";
import { parseConnection } from "../../../shared/connection/connection-item.ts";
import type { ConnectionRequest } from "../../../shared/connection/connection-request.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { isDeep } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { connectionNamed, useConnections } from "./connection-table.ts";
import {
  callerOf,
  createWorld,
  forbidden,
  invalidGrant,
  NOON,
  noAnswer,
  rateLimited,
  serverError,
  unauthorized,
} from "./world.ts";

quietLog();

const table = useConnections();
const world = usePerTest(() => createWorld(table.stores));
let organizations = 0;
let org = "";

beforeEach(() => {
  org = `acme/${++organizations}`;
  world.provider.secrets.set("rk_live_SECRETKEY", "acct_1");
  world.provider.codes.set("ac_SECRETCODE", "acct_1");
});

const byKey = (changes: object = {}): ConnectionRequest => ({
  method: "api_key",
  apiKey: "rk_live_SECRETKEY",
  ...changes,
});
const byOAuth = (changes: object = {}): ConnectionRequest => ({
  method: "oauth",
  code: "ac_SECRETCODE",
  state: world.states.issue(callerOf(org)),
  ...changes,
});
const stored = () => world.stores.connections.read(org);
const webhookSecrets = async () => {
  const found = await stored();
  if (found.status !== "connected" || found.webhookSecrets === undefined) return undefined;
  return (await world.secrets.openWebhookSecrets(org, found.webhookSecrets)).map(({ secret }) => secret);
};

const always = {
  provider: {
    name: "Stripe",
    apiKeysUrl: "https://dashboard.stripe.com/account/apikeys",
    webhooksUrl: "https://dashboard.stripe.com/account/webhooks",
  },
  syncIntervalHours: 4,
};

describe("connecting with an API key", () => {
  it("stores the verified credentials, records it, starts a sync, and returns the connection", async () => {
    world.syncState = async () => ({ lastSuccessAt: 7 });
    world.nextSync = async () => 8;
    await expect(world.connect(byKey({ webhookSecret: "whsec_SECRET1" }), org)).resolves.toEqual({
      status: "connected",
      method: "api_key",
      accountId: "acct_1",
      connectedAt: NOON,
      key: { kind: "restricted", mode: "live", since: NOON, lastAcceptedAt: NOON, advice: [] },
      accountActivity: { state: "on" },
      missing: { permissions: [], eventTypes: [] },
      platformEvents: true,
      webhookUrl: `https://hooks.example/acme%2F${organizations}`,
      ...always,
      lastSyncAt: 7,
      nextSyncAt: 8,
      readsThisMonth: 3,
      webhookSetup: expect.any(Object),
    });
    await expect(stored()).resolves.toMatchObject({ status: "connected", accountId: "acct_1", connectedAt: NOON });
    const { connection, credentials } = await world.openConnection(org);
    await expect(credentials.current()).resolves.toBe("rk_live_SECRETKEY");
    expect(connection).not.toHaveProperty("tokenExpiresAt");
    await expect(webhookSecrets()).resolves.toEqual(["whsec_SECRET1"]);
    expect(world.steps).toEqual([`cancel ${org}`, `sync ${org}`]);
    expect(world.provider.contexts).toEqual([
      {
        organizationId: org,
        source: "user",
        userId: "ada",
        sessionId: "session-1",
        isConnecting: true,
        ipAddress: "192.0.2.1",
        userAgent: "jest",
      },
    ]);
    expect(world.events).toEqual([
      {
        organizationId: org,
        source: "user",
        userId: "ada",
        sessionId: "session-1",
        ipAddress: "192.0.2.1",
        userAgent: "jest",
        eventType: "PROVIDER_CONNECTION_ESTABLISHED",
        category: "integration",
        riskLevel: "LOW",
        success: true,
        action: "connect_account",
        resource: "acct_1",
        resourceType: "provider_account",
        metadata: { durationMs: 0, method: "api_key", requestId: "request-1" },
      },
    ]);
    expect(world.provider.flushes).toBe(1);
  });

  it("again replaces the key, and the webhook secrets if given", async () => {
    await world.connect(byKey({ webhookSecrets: ["whsec_1", "whsec_2"] }), org);
    world.provider.secrets.set("sk_live_new", "acct_1");
    await world.connect(byKey({ apiKey: "sk_live_new" }), org);
    const { credentials } = await world.openConnection(org);
    await expect(credentials.current()).resolves.toBe("sk_live_new");
    await expect(webhookSecrets()).resolves.toEqual(["whsec_1", "whsec_2"]);
    await world.connect(byKey({ webhookSecret: "whsec_3" }), org);
    await expect(webhookSecrets()).resolves.toEqual(["whsec_3"]);
    expect(world.steps.slice(-2)).toEqual([`cancel ${org}`, `sync ${org}`]);
  });

  it("to another account forgets the webhook secrets and the endpoint of the first", async () => {
    await world.connect(byKey({ webhookSecrets: ["whsec_1"] }), org);
    world.provider.secrets.set("sk_other", "acct_2");
    await world.connect(byKey({ apiKey: "sk_other" }), org);
    await expect(webhookSecrets()).resolves.toBeUndefined();
    await expect(stored()).resolves.toMatchObject({ status: "connected", accountId: "acct_2" });
  });

  it("refuses another account while records of the first are stored, and changes nothing", async () => {
    await world.connect(byKey(), org);
    const { connection } = await world.openConnection(org);
    await world.stores.claims.claimRecords(org, connection);
    world.provider.secrets.set("sk_other", "acct_2");
    const before = await table.item(organizationKey(org));
    const events = world.events.length;
    await expect(world.connect(byKey({ apiKey: "sk_other" }), org)).rejects.toMatchObject({ code: "other_account" });
    await expect(table.item(organizationKey(org))).resolves.toEqual(before);
    expect(world.events).toHaveLength(events);
    await world.connect(byKey(), org);
  });

  it.each<[string, () => Error, string, number | undefined]>([
    ["401", unauthorized, "credentials_refused", undefined],
    ["403", forbidden, "credentials_refused", undefined],
    ["500", serverError, "provider_unavailable", undefined],
    ["no answer", noAnswer, "provider_unavailable", undefined],
    ["429", () => rateLimited(), "provider_unavailable", undefined],
    ["429 with a time", () => rateLimited(2_500), "provider_unavailable", 3],
    ["an open circuit", () => new CircuitOpenError(NOON + 9_000, NOON), "circuit_open", 9],
    ["a store that fails", () => new DomainError("store_unavailable", "…"), "store_unavailable", undefined],
  ])("stores nothing if the provider answers: %s", async (_said, error, code, retryAfterSeconds) => {
    world.provider.failWith(error);
    await expect(world.connect(byKey(), org)).rejects.toMatchObject({ code, retryAfterSeconds });
    await expect(stored()).resolves.toEqual({ status: "disconnected" });
    expect([world.events, world.steps]).toEqual([[], []]);
    expect(world.provider.flushes).toBe(1);
  });

  it("keeps the previous connection if a new connect fails", async () => {
    await world.connect(byKey(), org);
    const before = await table.item(organizationKey(org));
    await expect(world.connect(byKey({ apiKey: "sk_wrong" }), org)).rejects.toMatchObject({
      code: "credentials_refused",
    });
    await expect(table.item(organizationKey(org))).resolves.toEqual(before);
  });

  it("succeeds even if its first sync does not start, or the answer lacks fields", async () => {
    world.startFirstSync = async () => {
      throw new DomainError("store_unavailable", "The bus did not take it.");
    };
    for (const read of ["syncState", "nextSync"] as const) {
      world[read] = async () => {
        throw new DomainError("store_unavailable", "…");
      };
    }
    const shown = await world.connect(byKey(), org);
    expect(shown).toMatchObject({
      status: "connected",
      method: "api_key",
      accountId: "acct_1",
      connectedAt: NOON,
      webhookSetup: { url: shown.webhookUrl },
    });
    expect(shown).not.toHaveProperty("lastSyncAt");
    expect(shown).not.toHaveProperty("nextSyncAt");
    expect(world.events).toHaveLength(1);
  });

  if (isDeep)
    it("twenty times concurrently leaves one connection as a whole", async () => {
      const keys = Array.from({ length: 20 }, (_, i) => `sk_${i}`);
      for (const key of keys) world.provider.secrets.set(key, `acct_${key}`);
      await Promise.all(keys.map((apiKey) => world.connect(byKey({ apiKey, webhookSecret: `whsec_${apiKey}` }), org)));
      const { connection, credentials } = await world.openConnection(org);
      const key = await credentials.current();
      expect(connection.accountId).toBe(`acct_${key}`);
      await expect(webhookSecrets()).resolves.toEqual([`whsec_${key}`]);
    });
});

describe("connecting by OAuth", () => {
  it("exchanges the code, reads the account with the token, and stores both tokens", async () => {
    await expect(world.connect(byOAuth(), org)).resolves.toMatchObject({
      status: "connected",
      method: "oauth",
      accountId: "acct_1",
      tokenExpiresAt: NOON + 3_600_000,
    });
    expect(world.provider.asked).toEqual(["code", "account"]);
    const { credentials } = await world.openConnection(org);
    await expect(credentials.current()).resolves.toBe("access_secret_acct_1_1");
    expect(world.events).toMatchObject([{ resource: "acct_1", metadata: { method: "oauth" } }]);
  });

  it.each([
    ["another user's state", () => world.states.issue(callerOf(org, "eve"))],
    ["another organization's state", () => world.states.issue(callerOf("other"))],
    ["a changed state", () => "garbled"],
  ])("does not call the provider with an invalid state: %s", async (_what, stateOf) => {
    await expect(world.connect(byOAuth({ state: stateOf() }), org)).rejects.toMatchObject({
      code: "invalid_authorization",
    });
    expect(world.provider.asked).toEqual([]);
  });

  it("accepts a state once, whatever the result", async () => {
    const request = byOAuth();
    await world.connect(request, org);
    world.provider.codes.set("ac_SECRETCODE", "acct_1");
    await expect(world.connect(request, org)).rejects.toMatchObject({ code: "invalid_authorization" });
    expect(world.provider.asked).toEqual(["code", "account"]);
  });

  it("succeeds once for twenty concurrent uses of a state", async () => {
    const request = byOAuth();
    const ends = await Promise.allSettled(Array.from({ length: 20 }, () => world.connect(request, org)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(world.provider.asked).toEqual(["code", "account"]);
  });

  it.each<[string, () => Error, string]>([
    ["it does not answer", noAnswer, "provider_unavailable"],
    ["it fails", serverError, "provider_unavailable"],
    ["it limits the rate", rateLimited, "provider_unavailable"],
    ["the circuit is open", () => new CircuitOpenError(undefined, NOON), "circuit_open"],
    ["the platform has no credentials", () => new DomainError("oauth_not_configured", "…"), "oauth_not_configured"],
  ])("may be repeated with the same code and state if %s", async (_what, error, code) => {
    const request = byOAuth();
    world.provider.failWith(error);
    await expect(world.connect(request, org)).rejects.toMatchObject({ code });
    await expect(stored()).resolves.toEqual({ status: "disconnected" });
    world.provider.before = () => {};
    await expect(world.connect(request, org)).resolves.toMatchObject({ status: "connected" });
  });

  it.each([
    ["invalid_grant", invalidGrant],
    ["401", unauthorized],
    ["403", forbidden],
  ])("needs a new authorization if the code is rejected: %s", async (_said, error) => {
    const request = byOAuth();
    world.provider.failWith(error);
    await expect(world.connect(request, org)).rejects.toMatchObject({ code: "credentials_refused" });
    world.provider.before = () => {};
    await expect(world.connect(request, org)).rejects.toMatchObject({ code: "invalid_authorization" });
    await expect(stored()).resolves.toEqual({ status: "disconnected" });
  });

  it("needs a new authorization if the new token cannot read the account: the code is used up", async () => {
    const request = byOAuth();
    world.provider.before = (asked) => {
      if (asked === "account") throw serverError();
    };
    await expect(world.connect(request, org)).rejects.toMatchObject({ code: "provider_unavailable" });
    await expect(world.connect(request, org)).rejects.toMatchObject({ code: "invalid_authorization" });
    await expect(stored()).resolves.toEqual({ status: "disconnected" });
  });

  it("stores nothing if the token belongs to another account", async () => {
    world.provider.before = (asked) => {
      if (asked === "account") world.provider.secrets.set("access_secret_acct_1_1", "acct_2");
    };
    await expect(world.connect(byOAuth(), org)).rejects.toMatchObject({ code: "credentials_refused" });
    await expect(stored()).resolves.toEqual({ status: "disconnected" });
  });
});

describe("disconnecting", () => {
  it("removes the credentials, ends runs and records it once", async () => {
    await world.connect(byKey({ webhookSecret: "whsec_1" }), org);
    world.events.length = 0;
    world.steps.length = 0;
    await world.disconnect(org);
    await expect(stored()).resolves.toEqual({ status: "disconnected" });
    await expect(world.openConnection(org)).rejects.toMatchObject({ code: "not_connected" });
    await world.disconnect(org);
    expect(world.events).toMatchObject([
      {
        eventType: "PROVIDER_CONNECTION_REMOVED",
        category: "integration",
        riskLevel: "LOW",
        source: "user",
        userId: "ada",
        resource: "acct_1",
        action: "disconnect_account",
        success: true,
      },
    ]);
    expect(world.steps).toEqual([`cancel ${org}`, `cancel ${org}`]);
  });

  it("is completed by a repeated call if the first crashed before runs were ended", async () => {
    await world.connect(byKey(), org);
    const { cancelRuns } = world;
    world.cancelRuns = async () => {
      throw new DomainError("store_unavailable", "…");
    };
    await expect(world.disconnect(org)).rejects.toMatchObject({ code: "store_unavailable" });
    await expect(stored()).resolves.toEqual({ status: "disconnected" });
    world.steps.length = 0;
    world.cancelRuns = cancelRuns;
    await world.disconnect(org);
    expect(world.steps).toEqual([`cancel ${org}`]);
  });

  it("and connecting are recorded by the next change after a crash; after two crashes in a row the first is lost", async () => {
    world.isRecording = false;
    await expect(world.connect(byKey(), org)).rejects.toThrow("died");
    await expect(world.disconnect(org)).rejects.toThrow("died");
    await expect(world.disconnect(org)).rejects.toThrow("died");
    world.isRecording = true;
    await world.disconnect(org);
    await world.disconnect(org);
    expect(world.events.map(({ eventType }) => eventType)).toEqual(["PROVIDER_CONNECTION_REMOVED"]);
    world.isRecording = false;
    await expect(world.connect(byKey(), org)).rejects.toThrow("died");
    world.isRecording = true;
    await world.connect(byKey(), org);
    const established = world.events.slice(1);
    expect(established).toHaveLength(2);
    expect(new Set(established.map(({ eventType }) => eventType))).toEqual(
      new Set(["PROVIDER_CONNECTION_ESTABLISHED"]),
    );
  });

  it("only ends runs if there never was a connection", async () => {
    await world.disconnect(org);
    expect(world.events).toEqual([]);
    await expect(table.item(organizationKey(org))).resolves.toBeUndefined();
  });
});

describe("the connection that clients see", () => {
  it("is disconnected before the first connect, and has no next sync", async () => {
    world.nextSync = async () => 8;
    await expect(world.view(org, await stored())).resolves.toEqual({
      status: "disconnected",
      ...always,
      webhookUrl: `https://hooks.example/acme%2F${organizations}`,
      readsThisMonth: 3,
      webhookSetup: expect.any(Object),
    });
  });

  it("keeps the account in needs_reconnect, without the token's expiry and the next sync", async () => {
    world.nextSync = async () => 8;
    await world.connect(byOAuth(), org);
    const { connection } = await world.openConnection(org);
    await world.stores.connections.requireReconnectQuietly(org, connection);
    await expect(world.view(org, await stored())).resolves.toEqual({
      status: "needs_reconnect",
      method: "oauth",
      accountId: "acct_1",
      connectedAt: NOON,
      ...always,
      webhookUrl: `https://hooks.example/acme%2F${organizations}`,
      readsThisMonth: 3,
    });
  });
});

describe("secrets", () => {
  const SECRETS = /SECRETKEY|SECRETCODE|SECRETHOOK|access_secret|refresh_secret/;
  const written = () =>
    jest
      .mocked(process.stdout.write)
      .mock.calls.map(([line]) => String(line))
      .join("\n");

  it("are in no answer, event, log line or error, and not in plain text in the store", async () => {
    const seen: unknown[] = [];
    const keep = async (work: Promise<unknown>) => {
      seen.push(
        await work.catch((error: Error & { cause?: unknown }) => [error.message, error.stack, String(error.cause)]),
      );
    };
    world.startFirstSync = async () => {
      throw new DomainError("store_unavailable", "…");
    };
    const requests = [byKey({ webhookSecret: "whsec_SECRETHOOK" }), byOAuth({ webhookSecrets: ["whsec_SECRETHOOK"] })];
    for (const request of requests) {
      await keep(world.connect(request, org));
      seen.push(JSON.stringify(await table.item(organizationKey(org))), await world.view(org, await stored()));
      seen.push(Buffer.from(JSON.stringify(await table.item(organizationKey(org)))).toString("latin1"));
    }
    for (const error of [unauthorized, invalidGrant, noAnswer, rateLimited]) {
      world.provider.failWith(error);
      await keep(world.connect(byKey({ webhookSecret: "whsec_SECRETHOOK" }), org));
      await keep(world.connect(byOAuth(), org));
    }
    const { credentials } = await world.openConnection(org);
    const secret = await credentials.current();
    await keep(credentials.refused(secret));
    await keep(world.disconnect(org));
    expect(JSON.stringify([seen, world.events])).not.toMatch(SECRETS);
    expect(written()).not.toMatch(SECRETS);
    expect(world.events.map(({ eventType }) => eventType)).toContain("PROVIDER_CONNECTION_REMOVED");
  });

  it("can be unsealed for their own organization only", async () => {
    await world.connect(byKey(), org);
    const { connection } = await world.openConnection(org);
    await expect(world.secrets.openCredentials("other", connection.credentials)).rejects.toThrow();
    await expect(world.secrets.openWebhookSecrets(org, connection.credentials)).rejects.toThrow();
  });
});

describe("a stored connection", () => {
  it("is refused if its credentials or secrets are not sealed bytes", () => {
    const stored = { ...connectionNamed("a", { webhookSecrets: Uint8Array.of(1) }), status: "connected" };
    expect(parseConnection(stored)).toEqual(stored);
    for (const field of ["credentials", "webhookSecrets"])
      expect(() => parseConnection({ ...stored, [field]: "sk_live_PLAIN" })).toThrow(field);
  });
});
