import { beforeEach, describe, expect, it } from "@jest/globals";
import { CircuitOpenError } from "../../../shared/circuit-breaker/guard.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { deepIt } from "../../support/deep-it.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { listed, useConnections } from "./connection-table.ts";
import { createWorld, NOON, noAnswer, serverError, unauthorized } from "./world.ts";

quietLog();

const HOUR = 3_600_000;
const AHEAD = 5 * 60_000;

const table = useConnections();
const world = usePerTest(() => createWorld(table.stores));
let organizations = 0;
let org = "";

beforeEach(() => {
  org = `acme ${++organizations}`;
});

const open = async () => (await world.openConnection(org)).credentials;
const status = async () => (await world.stores.connections.read(org)).status;
const eventTypes = () => world.events.map(({ eventType }) => eventType).slice(1);
/** The provider rejects the token from now on. */
const revoke = (token: string) => world.provider.secrets.delete(token);
const ended = { kind: "authentication", outcome: "failure", reason: "connection_ended" };
const confirmations = () => world.provider.asked.filter((request) => request === "confirm").length;

describe("an API key", () => {
  beforeEach(async () => {
    world.provider.secrets.set("sk_1", "acct_1");
    await world.connect({ method: "api_key", apiKey: "sk_1" }, org);
  });

  it("never expires", async () => {
    const credentials = await open();
    world.now += 1_000 * HOUR;
    await expect(credentials.current()).resolves.toBe("sk_1");
    expect(world.provider.exchanges()).toBe(0);
  });

  it("that the provider rejects twice sets needs_reconnect, and records it once", async () => {
    revoke("sk_1");
    const credentials = await open();
    await expect(credentials.refused("sk_1")).rejects.toMatchObject(ended);
    await expect(credentials.refused("sk_1")).rejects.toMatchObject(ended);
    await expect(status()).resolves.toBe("needs_reconnect");
    expect(confirmations()).toBe(1);
    expect(world.provider.contexts.at(-1)).toMatchObject({ organizationId: org, accountId: "acct_1" });
    expect(world.events.slice(1)).toEqual([
      {
        organizationId: org,
        source: "system",
        eventType: "AUTHENTICATION_FAILURE",
        category: "authentication",
        errorKind: "authentication",
        action: "require_reconnect",
        success: false,
        errorCode: "api_key_refused",
        resource: "acct_1",
        resourceType: "provider_account",
        metadata: { method: "api_key" },
        errorMessage: "The provider rejects the connection's credentials; the account must be connected again.",
      },
    ]);
    const item = await table.item(organizationKey(org));
    expect(Object.keys(item ?? {})).not.toContain("credentials");
    expect(Object.keys(item ?? {})).not.toContain("change");
    await expect(open()).rejects.toMatchObject({ code: "not_connected" });
    // Scheduled runs start for the listed organizations only.
    expect(await listed(world.stores)).not.toContain(org);
  });

  it("that the provider rejects once and then accepts changes nothing, and may be tried again", async () => {
    await expect((await open()).refused("sk_1")).resolves.toBe("sk_1");
    await expect(status()).resolves.toBe("connected");
    expect([confirmations(), eventTypes()]).toEqual([1, []]);
  });

  it.each([
    ["fails", serverError],
    ["does not answer", noAnswer],
    ["is not asked, because the circuit is open", () => new CircuitOpenError(NOON, NOON)],
  ])("changes nothing if the provider %s when it is asked again", async (_what, error) => {
    revoke("sk_1");
    world.provider.failWith(error);
    await expect((await open()).refused("sk_1")).resolves.toBeUndefined();
    await expect(status()).resolves.toBe("connected");
    expect(eventTypes()).toEqual([]);
  });

  it("is in doubt as long as a fault of the service keeps the provider from being asked again", async () => {
    revoke("sk_1");
    world.provider.before = () => {
      throw new TypeError("a fault");
    };
    await expect((await open()).refused("sk_1")).rejects.toThrow("a fault");
    await expect(status()).resolves.toBe("connected");
  });

  it("that was replaced while the provider was asked again returns the new key", async () => {
    revoke("sk_1");
    const credentials = await open();
    const { acceptsSecret } = world.provider.access;
    world.provider.access.acceptsSecret = async (...given) => {
      const isAccepted = await acceptsSecret(...given);
      world.provider.secrets.set("sk_2", "acct_1");
      await world.connect({ method: "api_key", apiKey: "sk_2" }, org);
      return isAccepted;
    };
    await expect(credentials.refused("sk_1")).resolves.toBe("sk_2");
    await expect(status()).resolves.toBe("connected");
    expect(eventTypes()).toEqual(["PROVIDER_CONNECTION_ESTABLISHED"]);
  });

  it("sets needs_reconnect once for each stored key: a new key heals the connection", async () => {
    for (const apiKey of ["sk_1", "sk_2"]) {
      world.provider.secrets.set(apiKey, "acct_1");
      await world.connect({ method: "api_key", apiKey }, org);
      await expect(status()).resolves.toBe("connected");
      revoke(apiKey);
      await expect((await open()).refused(apiKey)).rejects.toMatchObject(ended);
    }
    const failures = eventTypes().filter((type) => type === "AUTHENTICATION_FAILURE");
    expect(failures).toHaveLength(2);
  });

  it("is recorded by the next connect if the process dies before it records the rejection", async () => {
    revoke("sk_1");
    world.isRecording = false;
    await expect((await open()).refused("sk_1")).rejects.toThrow("died");
    await expect(status()).resolves.toBe("needs_reconnect");
    world.isRecording = true;
    world.provider.secrets.set("sk_1", "acct_1");
    await world.connect({ method: "api_key", apiKey: "sk_1" }, org);
    expect(eventTypes()).toEqual(["AUTHENTICATION_FAILURE", "PROVIDER_CONNECTION_ESTABLISHED"]);
  });

  it("that was replaced before returns the new key, without asking the provider again", async () => {
    const credentials = await open();
    world.provider.secrets.set("sk_2", "acct_1");
    await world.connect({ method: "api_key", apiKey: "sk_2" }, org);
    await expect(credentials.refused("sk_1")).resolves.toBe("sk_2");
    await expect(credentials.current()).resolves.toBe("sk_2");
  });

  it("of another account, or of a removed connection, is not used", async () => {
    const credentials = await open();
    world.provider.secrets.set("sk_2", "acct_2");
    await world.connect({ method: "api_key", apiKey: "sk_2" }, org);
    await expect(credentials.refused("sk_1")).rejects.toMatchObject(ended);
    await world.disconnect(org);
    await expect(credentials.refused("sk_1")).rejects.toMatchObject(ended);
    expect(confirmations()).toBe(0);
  });
});

describe("a token", () => {
  let token = "";
  beforeEach(async () => {
    token = await world.connectByOAuth(org);
  });

  it("is refreshed 5 minutes before it expires, and not earlier", async () => {
    const credentials = await open();
    world.now = NOON + HOUR - AHEAD - 1;
    await expect(credentials.current()).resolves.toBe(token);
    world.now++;
    const renewed = await credentials.current();
    expect(renewed).not.toBe(token);
    await expect(credentials.current()).resolves.toBe(renewed);
    await expect((await open()).current()).resolves.toBe(renewed);
    expect(world.provider.exchanges()).toBe(1);
    await expect(world.stores.connections.read(org)).resolves.toMatchObject({ tokenExpiresAt: world.now + HOUR });
    expect(world.events.slice(1)).toEqual([
      {
        organizationId: org,
        source: "system",
        eventType: "PROVIDER_TOKEN_REFRESH",
        category: "authentication",
        riskLevel: "LOW",
        action: "refresh_tokens",
        resource: "acct_1",
        resourceType: "provider_account",
        success: true,
        metadata: { durationMs: 0, attempts: 1 },
      },
    ]);
  });

  it("records on whose behalf it is refreshed", async () => {
    const { credentials } = await world.openConnection(org, { source: "webhook", runId: "run-1" });
    world.now = NOON + HOUR;
    await credentials.current();
    expect(world.events.at(-1)).toMatchObject({ source: "webhook", metadata: { runId: "run-1" } });
    expect(world.provider.contexts.at(-1)).toMatchObject({ organizationId: org, accountId: "acct_1", runId: "run-1" });
  });

  it("that the provider rejects is exchanged once, and all callers get the new token", async () => {
    revoke(token);
    const credentials = await open();
    const renewed = await credentials.refused(token);
    expect(renewed).toBeDefined();
    await expect(credentials.current()).resolves.toBe(renewed);
    await expect(credentials.refused(token)).resolves.toBe(renewed);
    expect(world.provider.exchanges()).toBe(1);
    expect(eventTypes()).toEqual(["PROVIDER_TOKEN_REFRESH"]);
  });

  it("that another instance replaced returns the new token without an exchange", async () => {
    const [one, two] = [await open(), await open()];
    revoke(token);
    const renewed = await one.refused(token);
    await expect(two.refused(token)).resolves.toBe(renewed);
    await expect(two.current()).resolves.toBe(renewed);
    expect(world.provider.exchanges()).toBe(1);
  });

  it("that is new and rejected sets needs_reconnect", async () => {
    const credentials = await open();
    const renewed = await credentials.refused(token);
    await expect(credentials.refused(renewed ?? "")).rejects.toMatchObject(ended);
    await expect(status()).resolves.toBe("needs_reconnect");
    expect(world.provider.exchanges()).toBe(1);
    expect(eventTypes()).toEqual(["PROVIDER_TOKEN_REFRESH", "AUTHENTICATION_FAILURE"]);
    expect(world.events.at(-1)).toMatchObject({
      category: "authentication",
      errorKind: "authentication",
      success: false,
      errorCode: "token_refused",
    });
    await expect(open()).rejects.toMatchObject({ code: "not_connected" });
  });

  it("that is rejected right after an early refresh is exchanged once more", async () => {
    const credentials = await open();
    world.now = NOON + HOUR;
    const renewed = await credentials.current();
    revoke(renewed);
    const again = await credentials.refused(renewed);
    expect(again).toBeDefined();
    expect(again).not.toBe(renewed);
    await expect(status()).resolves.toBe("connected");
  });

  it("whose refresh token is rejected sets needs_reconnect, and no secret is left", async () => {
    world.provider.refreshTokens.clear();
    await expect((await open()).refused(token)).rejects.toMatchObject(ended);
    await expect(status()).resolves.toBe("needs_reconnect");
    expect(eventTypes()).toEqual(["AUTHENTICATION_FAILURE"]);
    expect(world.events.at(-1)).toMatchObject({ errorCode: "invalid_grant", resource: "acct_1" });
    await expect(world.stores.connected.countConnected()).resolves.toBeGreaterThanOrEqual(0);
  });

  it("that has expired and cannot be exchanged fails the work", async () => {
    world.provider.refreshTokens.clear();
    const credentials = await open();
    world.now = NOON + HOUR;
    await expect(credentials.current()).rejects.toMatchObject({ code: "not_connected" });
    await expect(status()).resolves.toBe("needs_reconnect");
  });

  it.each([
    ["fails", serverError],
    ["does not answer", noAnswer],
    ["refuses the platform", unauthorized],
    ["is not asked, because the circuit is open", () => new CircuitOpenError(NOON, NOON)],
  ])("is still used while the token endpoint %s, and the connection stays connected", async (_what, error) => {
    const credentials = await open();
    world.pause = async () => {
      world.now += 1_000;
    };
    world.provider.failWith(error);
    world.now = NOON + HOUR - AHEAD;
    await expect(credentials.current()).resolves.toBe(token);
    await expect(credentials.current()).resolves.toBe(token);
    expect(world.provider.exchanges()).toBe(1);
    world.now = NOON + HOUR;
    await expect(credentials.current()).rejects.toThrow(error().message);
    await expect(credentials.refused(token)).rejects.toBeDefined();
    await expect(status()).resolves.toBe("connected");
    world.provider.before = () => {};
    world.now += 15_000;
    await expect(credentials.current()).resolves.not.toBe(token);
    expect(eventTypes().at(-1)).toBe("PROVIDER_TOKEN_REFRESH");
  });

  it("whose exchange got no answer is not exchanged again before the lease expires", async () => {
    world.now = NOON + HOUR;
    world.provider.failWith(noAnswer);
    await expect((await open()).current()).rejects.toMatchObject({ code: "timeout" });
    world.provider.before = () => {};
    world.pause = async () => {
      world.now += 1_000;
    };
    await expect((await open()).current()).rejects.toMatchObject({ kind: "network", outcome: "neutral" });
    expect(world.provider.exchanges()).toBe(1);
    await (await open()).current();
    expect(world.provider.exchanges()).toBe(2);
    expect(world.now).toBeGreaterThanOrEqual(NOON + HOUR + 15_000);
  });

  it("whose exchange was rejected for now is exchanged again at once", async () => {
    world.now = NOON + HOUR;
    world.provider.failWith(unauthorized);
    await expect((await open()).current()).rejects.toMatchObject({ status: 401 });
    world.provider.before = () => {};
    await (await open()).current();
    expect(world.provider.exchanges()).toBe(2);
  });
});

describe("twenty concurrent callers", () => {
  deepIt.each([
    ["of one instance", false],
    ["each in a separate instance", true],
  ])("with an expired token make one exchange, %s", async (_where, isApart) => {
    await world.connectByOAuth(org);
    world.now = NOON + HOUR;
    const one = await open();
    const all = await Promise.all(Array.from({ length: 20 }, async () => (isApart ? open() : one)));
    const tokens = await Promise.all(all.map((credentials) => credentials.current()));
    expect(new Set(tokens).size).toBe(1);
    expect(world.provider.secrets.has(tokens[0] ?? "")).toBe(true);
    expect(world.provider.exchanges()).toBe(1);
    expect(eventTypes()).toEqual(["PROVIDER_TOKEN_REFRESH"]);
  });

  it("with a rejected token make one exchange", async () => {
    const token = await world.connectByOAuth(org);
    revoke(token);
    const all = await Promise.all(Array.from({ length: 20 }, open));
    const tokens = await Promise.all(all.map((credentials) => credentials.refused(token)));
    expect(new Set(tokens).size).toBe(1);
    expect(world.provider.exchanges()).toBe(1);
  });

  deepIt("with a rejected refresh token set needs_reconnect and record it once", async () => {
    const token = await world.connectByOAuth(org);
    world.provider.refreshTokens.clear();
    const all = await Promise.all(Array.from({ length: 20 }, open));
    const refusals = await Promise.allSettled(all.map((credentials) => credentials.refused(token)));
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: "rejected", reason: ended });
    expect(eventTypes()).toEqual(["AUTHENTICATION_FAILURE"]);
  });

  deepIt.each([
    ["of one instance", false],
    ["each in a separate instance", true],
  ])("with a rejected API key set needs_reconnect and record it once, %s", async (_where, isApart) => {
    world.provider.secrets.set("sk_1", "acct_1");
    await world.connect({ method: "api_key", apiKey: "sk_1" }, org);
    revoke("sk_1");
    const one = await open();
    const all = await Promise.all(Array.from({ length: 20 }, async () => (isApart ? open() : one)));
    const refusals = await Promise.allSettled(all.map((credentials) => credentials.refused("sk_1")));
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: "rejected", reason: ended });
    await expect(status()).resolves.toBe("needs_reconnect");
    expect(eventTypes()).toEqual(["AUTHENTICATION_FAILURE"]);
    if (!isApart) expect(confirmations()).toBe(1);
  });
});

describe("between exchange and store", () => {
  it("a temporary failure of the store or KMS loses nothing", async () => {
    await world.connectByOAuth(org);
    world.now = NOON + HOUR;
    const credentials = await open();
    world.envelope.failures = 5;
    const renewed = await credentials.current();
    await expect((await open()).current()).resolves.toBe(renewed);
    expect(world.provider.exchanges()).toBe(1);
  });

  it("a crash loses the tokens, and the next refresh sets needs_reconnect", async () => {
    await world.connectByOAuth(org);
    world.now = NOON + HOUR;
    const dead = await open();
    let crashed = () => {};
    const crash = new Promise<void>((resolve) => {
      crashed = resolve;
    });
    world.provider.afterExchange = () => {
      crashed();
      return new Promise(() => {});
    };
    void dead.current();
    await crash;
    world.provider.afterExchange = async () => {};
    world.now += 14_999;
    world.pause = async () => {
      world.now += 4_000;
    };
    await expect((await open()).current()).rejects.toMatchObject({ code: "not_connected" });
    expect(world.provider.exchanges()).toBe(2);
    await expect(status()).resolves.toBe("needs_reconnect");
    expect(eventTypes()).toEqual(["AUTHENTICATION_FAILURE"]);
  });

  it("an instance slower than its lease restores the status that the next one changed", async () => {
    await world.connectByOAuth(org);
    world.now = NOON + HOUR;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let reached = () => {};
    const reaching = new Promise<void>((resolve) => {
      reached = resolve;
    });
    world.provider.afterExchange = () => {
      reached();
      return held;
    };
    const slow = (await open()).current();
    await reaching;
    world.now += 15_000;
    await expect((await open()).current()).rejects.toMatchObject({ code: "not_connected" });
    await expect(status()).resolves.toBe("needs_reconnect");
    letGo();
    const renewed = await slow;
    await expect(status()).resolves.toBe("connected");
    await expect((await open()).current()).resolves.toBe(renewed);
  });

  it("two instances with rejected exchanges record it once", async () => {
    await world.connectByOAuth(org);
    world.now = NOON + HOUR;
    world.provider.refreshTokens.clear();
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    const { promise: reaching, resolve: reached } = Promise.withResolvers<void>();
    const { refreshTokens } = world.provider.access;
    world.provider.access.refreshTokens = async (...given) => {
      reached();
      await held;
      return refreshTokens(...given);
    };
    const slow = (await open()).current();
    await reaching;
    world.provider.access.refreshTokens = refreshTokens;
    world.now += 15_000;
    await expect((await open()).current()).rejects.toMatchObject({ code: "not_connected" });
    letGo();
    await expect(slow).rejects.toMatchObject({ code: "not_connected" });
    expect(world.provider.exchanges()).toBe(2);
    expect(eventTypes()).toEqual(["AUTHENTICATION_FAILURE"]);
  });

  it.each([
    ["disconnects", () => world.disconnect(org), "disconnected"],
    [
      "connects again",
      async () => {
        world.provider.secrets.set("sk_1", "acct_1");
        await world.connect({ method: "api_key", apiKey: "sk_1" }, org);
      },
      "connected",
    ],
  ])("a user who %s is not overridden", async (_what, act, expected) => {
    await world.connectByOAuth(org);
    world.now = NOON + HOUR;
    world.provider.afterExchange = async () => void (await act());
    const current = (await open()).current();
    if (expected === "connected") await expect(current).resolves.toBe("sk_1");
    else await expect(current).rejects.toMatchObject({ code: "not_connected" });
    await expect(status()).resolves.toBe(expected);
  });
});
