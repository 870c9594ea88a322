/** A simple model of a connection, compared with a real table under lost answers and concurrent calls. */

import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { depth } from "../../support/depth.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { type ConnectionTable, listed, startConnectionTable, storesAt } from "./connection-table.ts";
import { createTestProvider, createWorld, NOON, type World } from "./world.ts";

quietLog();

const HOUR = 3_600_000;
const AHEAD = 5 * 60_000;

let table: ConnectionTable;
let proxy: Awaited<ReturnType<typeof startLossyProxy>>;
let organizations = 0;

beforeAll(async () => {
  table = await startConnectionTable();
  proxy = await startLossyProxy(table.endpoint);
});
afterAll(async () => {
  proxy.stop();
  await table.stop();
});

/** `claimed`: the account whose records are stored. `isRefreshable`: the provider accepts the refresh token. */
type Model = {
  status: "connected" | "disconnected" | "needs_reconnect";
  method?: "api_key" | "oauth" | undefined;
  accountId?: string | undefined;
  webhookSecrets?: string | undefined;
  claimed?: string | undefined;
  isRefreshable: boolean;
  expiresAt: number;
  now: number;
  established: number;
  removed: number;
  failed: number;
};
type Real = { org: string; ways: { direct: World; lossy: World } };
type Way = keyof Real["ways"];

/** Commands run in the model and on the table, at the model's time. */
const step = (name: string, run: (model: Model, real: Real, world: World) => Promise<void>, over: Way) => ({
  check: () => true,
  async run(model: Model, real: Real) {
    for (const world of Object.values(real.ways)) world.now = model.now;
    await run(model, real, real.ways[over]);
    await compare(model, real);
  },
  toString: () => `${name} ${over}`,
});

const disconnected = {
  status: "disconnected",
  method: undefined,
  accountId: undefined,
  webhookSecrets: undefined,
} as const;

const compare = async (model: Model, { org, ways: { direct, lossy } }: Real): Promise<void> => {
  const stored = await direct.stores.connections.read(org);
  const { status, accountId, method } = { accountId: undefined, method: undefined, ...stored };
  expect({ status, accountId, method }).toEqual({
    status: model.status,
    accountId: model.accountId,
    method: model.method,
  });
  expect(stored.holdsRecordsOf).toBe(model.claimed);
  const secrets = "webhookSecrets" in stored ? stored.webhookSecrets : undefined;
  expect(secrets && (await direct.secrets.openWebhookSecrets(org, secrets))[0]?.secret).toBe(model.webhookSecrets);
  const connected = await listed(direct.stores);
  expect(connected.includes(org)).toBe(model.status === "connected");
  await expect(direct.stores.connected.countConnected()).resolves.toBe(connected.length);
  const events = [...direct.events, ...lossy.events];
  const count = (type: string) => events.filter(({ eventType }) => eventType === type).length;
  expect([
    count("PROVIDER_CONNECTION_ESTABLISHED"),
    count("PROVIDER_CONNECTION_REMOVED"),
    count("AUTHENTICATION_FAILURE"),
  ]).toEqual([model.established, model.removed, model.failed]);
};

const way = fc.constantFrom<Way>("direct", "lossy");
const account = fc.constantFrom("acct_1", "acct_2");

const connect = fc
  .tuple(account, fc.constantFrom("api_key" as const, "oauth" as const), fc.boolean(), fc.boolean(), way)
  .map(([accountId, method, isGood, hasSecrets, over]) =>
    step(
      `connect ${accountId} by ${method} ${isGood ? "" : "badly"} ${hasSecrets ? "with secrets" : ""}`,
      async (model, { org }, world) => {
        const { provider } = world;
        const good = `good ${provider.asked.length}`;
        provider.secrets.set(good, accountId);
        provider.codes.set(good, accountId);
        const given = isGood ? good : "bad";
        const secrets = hasSecrets ? { webhookSecret: `whsec ${good}` } : {};
        const state = world.states.issue({ scope: `org:${org}`, userId: "ada" });
        const connecting = world.connect(
          method === "api_key" ? { method, apiKey: given, ...secrets } : { method, code: given, state, ...secrets },
          org,
        );
        if (!isGood) return expect(connecting).rejects.toMatchObject({ code: "credentials_refused" });
        if (model.claimed !== undefined && model.claimed !== accountId) {
          return expect(connecting).rejects.toMatchObject({ code: "other_account" });
        }
        await connecting;
        const kept = model.accountId === accountId ? model.webhookSecrets : undefined;
        Object.assign(model, { status: "connected", method, accountId, isRefreshable: true });
        Object.assign(model, { webhookSecrets: secrets.webhookSecret ?? kept, expiresAt: model.now + HOUR });
        model.established++;
      },
      over,
    ),
  );

const disconnect = fc.tuple(fc.integer({ min: 1, max: 3 }), way).map(([times, over]) =>
  step(
    `disconnect ${times} times at once`,
    async (model, { org }, world) => {
      await Promise.all(Array.from({ length: times }, () => world.disconnect(org)));
      if (model.status !== "disconnected") model.removed++;
      Object.assign(model, disconnected);
    },
    over,
  ),
);

const claim = way.map((over) =>
  step(
    "claim records",
    async (model, { org }, { stores }) => {
      const stored = await stores.connections.read(org);
      if (stored.status === "disconnected") return;
      const isClaimed = await stores.claims.claimRecords(org, stored);
      expect(isClaimed).toBe(model.status === "connected");
      if (isClaimed) model.claimed = model.accountId;
    },
    over,
  ),
);

const erase = way.map((over) =>
  step(
    "erase records",
    async (model, { org }, { stores }) => {
      const { claimedBy } = await stores.connections.read(org);
      const isReleased = claimedBy !== undefined && (await stores.claims.releaseRecords(org, claimedBy));
      expect(isReleased).toBe(model.claimed !== undefined && model.status !== "connected");
      if (isReleased) model.claimed = undefined;
    },
    over,
  ),
);

const kill = fc.constant(
  step(
    "the provider forgets the refresh tokens",
    async (model, { ways }) => {
      ways.direct.provider.refreshTokens.clear();
      model.isRefreshable = false;
    },
    "direct",
  ),
);

const use = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean(), way).map(([users, isRefused, over]) =>
  step(
    `${users} use it at once ${isRefused ? "and are refused" : ""}`,
    async (model, { org }, world) => {
      if (model.status !== "connected") {
        return expect(world.openConnection(org)).rejects.toMatchObject({ code: "not_connected" });
      }
      const opened = await Promise.all(Array.from({ length: users }, () => world.openConnection(org)));
      const before = world.provider.exchanges();
      const isDue = model.method === "oauth" && model.expiresAt - AHEAD <= model.now;
      const ends = await Promise.allSettled(opened.map(({ credentials }) => credentials.current()));
      if (isDue && !model.isRefreshable) {
        expect(ends.map(({ status }) => status)).not.toContain("fulfilled");
        Object.assign(model, { status: "needs_reconnect", failed: model.failed + 1 });
        return;
      }
      const [first] = ends;
      if (first?.status !== "fulfilled") throw new Error("no secret");
      for (const end of ends) expect(end).toEqual(first);
      expect(world.provider.exchanges() - before).toBe(isDue ? 1 : 0);
      if (isDue) model.expiresAt = model.now + HOUR;
      if (!isRefused) return;
      world.provider.secrets.delete(first.value);
      const others = await Promise.all(opened.map(({ credentials }) => credentials.refused(first.value)));
      expect(new Set(others).size).toBe(1);
      expect(others[0] !== undefined).toBe(model.method === "oauth" && model.isRefreshable);
      if (model.method !== "oauth") return;
      if (model.isRefreshable) model.expiresAt = model.now + HOUR;
      else Object.assign(model, { status: "needs_reconnect", failed: model.failed + 1 });
    },
    over,
  ),
);

const wait = fc.constantFrom(60_000, HOUR - AHEAD, HOUR).map((ms) =>
  step(
    `wait ${ms}`,
    async (model) => {
      model.now += ms;
    },
    "direct",
  ),
);

describe("the life of a connection", () => {
  it("equals the model, for any commands in any order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands([connect, connect, disconnect, claim, erase, kill, use, use, wait], { maxCommands: 25 }),
        async (commands) => {
          const provider = createTestProvider();
          const direct = createWorld(table.stores(), provider);
          const lossy = createWorld(storesAt(proxy.url), provider);
          const real: Real = { org: `model ${++organizations}`, ways: { direct, lossy } };
          const model: Model = {
            ...{ status: "disconnected", isRefreshable: true, expiresAt: 0, now: NOON },
            ...{ established: 0, removed: 0, failed: 0 },
          };
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await direct.disconnect(real.org);
        },
      ),
      { seed: 20_261_121, numRuns: depth(5, 30) },
    );
  });
});
