/** A simple model of a connection, compared with a real table under lost answers and concurrent calls. */

import { describe, expect, it } from "@jest/globals";
import { fc } from "../../support/fixed-seed.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerFile } from "../../support/use-started.ts";
import {
  AHEAD,
  compare,
  disconnected,
  HOUR,
  type Model,
  newModel,
  type Real,
  type Rejection,
  reject,
  rejectHeld,
  replaceWebhookSecret,
  requireReconnect,
  storedSecret,
  type Way,
} from "./connection-model.ts";
import { useConnections } from "./connection-table.ts";
import { createTestProvider, createWorld, type World } from "./world.ts";

quietLog();

const table = useConnections();
const proxy = usePerFile(() => startLossyProxy(table.running().endpoint));
let organizations = 0;

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

const way = fc.constantFrom<Way>("direct", "lossy");
const mostly = fc.constantFrom(true, true, true, false);
const account = fc.constantFrom("acct_1", "acct_2");

const connect = fc
  .tuple(account, fc.constantFrom("api_key" as const, "oauth" as const), mostly, fc.boolean(), way)
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
        const keepsSecrets = model.accountId === accountId && !hasSecrets;
        if (!keepsSecrets) Object.assign(model, { webhookSecret: secrets.webhookSecret, replaced: [] });
        Object.assign(model, { status: "connected", method, accountId, isRefreshable: true });
        model.expiresAt = model.now + HOUR;
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

const changeSecrets = fc
  .tuple(fc.constantFrom("whsec a", "whsec b"), fc.integer({ min: 1, max: 3 }), way)
  .map(([secret, times, over]) =>
    step(
      `change the webhook secrets to ${secret} ${times} times at once`,
      async (model, { org }, world) => {
        const changes = Array.from({ length: times }, () => world.changeWebhookSecrets([secret], org));
        const ends = await Promise.allSettled(changes);
        if (model.status === "disconnected") {
          for (const end of ends) expect(end).toMatchObject({ reason: { code: "not_connected" } });
          return;
        }
        for (const end of ends) expect(end).toMatchObject({ value: { status: model.status } });
        replaceWebhookSecret(model, secret);
      },
      over,
    ),
  );

const rejection = fc.constantFrom<Rejection>("once", "unjudged", "for good", "twice");

/** @param isApart each user has an instance of its own; otherwise they share the credentials of one. */
const use = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.option(rejection), way)
  .map(([users, isApart, as, over]) =>
    step(
      `${users} use it at once ${isApart ? "apart" : ""} ${as === null ? "" : `and are rejected ${as}`}`,
      async (model, real, world) => {
        const open = async () => (await world.openConnection(real.org)).credentials;
        if (model.status !== "connected") return expect(open()).rejects.toMatchObject({ code: "not_connected" });
        const one = await open();
        const isOne = !isApart || as === "twice";
        const callers = await Promise.all(Array.from({ length: users }, () => (isOne ? one : open())));
        const before = world.provider.exchanges();
        const isDue = model.method === "oauth" && model.expiresAt - AHEAD <= model.now;
        const ends = await Promise.allSettled(callers.map((credentials) => credentials.current()));
        expect(world.provider.exchanges() - before).toBe(isDue ? 1 : 0);
        if (isDue && !model.isRefreshable) {
          for (const end of ends) expect(end).toMatchObject({ reason: { code: "not_connected" } });
          return requireReconnect(model, "invalid_grant");
        }
        if (isDue) model.expiresAt = model.now + HOUR;
        const secret = (await storedSecret(real)) ?? "";
        for (const end of ends) expect(end).toEqual({ status: "fulfilled", value: secret });
        if (as !== null) await reject({ model, real, world, callers }, secret, as);
      },
      over,
    ),
  );

const hold = way.map((over) =>
  step(
    "open it and keep the credentials",
    async (model, real, world) => {
      const secret = await storedSecret(real);
      if (secret === undefined) return;
      real.held = (await world.openConnection(real.org)).credentials;
      model.held = { accountId: model.accountId, secret };
    },
    over,
  ),
);

const useHeld = fc
  .tuple(rejection, way)
  .map(([as, over]) =>
    step(
      `a user of kept credentials is rejected ${as}`,
      (model, real, world) => rejectHeld(model, real, world, as),
      over,
    ),
  );

const wait = fc.constantFrom(60_000, HOUR - AHEAD, HOUR, 24 * HOUR).map((ms) =>
  step(
    `wait ${ms}`,
    async (model) => {
      model.now += ms;
    },
    "direct",
  ),
);

const seldom = [disconnect, changeSecrets, claim, erase, kill, wait];
const commands = [connect, connect, connect, use, use, use, hold, hold, useHeld, useHeld, ...seldom];

describe("the life of a connection", () => {
  it("equals the model, for any commands in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 25, size: "max" }), async (chosen) => {
        const provider = createTestProvider();
        const direct = createWorld(table.stores, provider);
        const lossy = createWorld(table.storesAt(proxy.url), provider);
        const real: Real = { table, org: `model ${++organizations}`, ways: { direct, lossy } };
        const model = newModel();
        await fc.asyncModelRun(() => ({ model, real }), chosen);
        await direct.disconnect(real.org);
      }),
      { seed: 20_261_121, numRuns: 30 },
    );
  });
});
