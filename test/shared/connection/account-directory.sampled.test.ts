/** Which organizations have connected an account: always what the connections say. */

import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { deepIt } from "../../support/deep-it.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerFile } from "../../support/use-started.ts";
import { connectionNamed, storesOver, useConnections } from "./connection-table.ts";
import { createWorld, NOON } from "./world.ts";

quietLog();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const table = useConnections();
const proxy = usePerFile(() => startLossyProxy(table.running().endpoint));
const { stores } = table;

let account = "";
let accounts = 0;
beforeEach(() => {
  account = `acct_${++accounts}/#ü`;
});

const org = (name: string) => `${name} ${accounts}`;
const connect = (name: string, changes: object = {}) =>
  stores.connections.connectQuietly(org(name), connectionNamed(name, { accountId: account, ...changes }));
const owners = async (accountId = account) =>
  (await stores.directory.ownersOf(accountId)).map(({ organizationId }) => organizationId).sort();

const limitedTo = (organizations: number) => storesOver(table.newClient(), undefined, organizations);

/** Makes a connection like one of an earlier version. */
const forgetEntry = async (name: string) => {
  const client = table.newClient();
  await client.send(
    new UpdateCommand({
      TableName: "connections",
      Key: { id: `org#${encodeURIComponent(org(name))}` },
      UpdateExpression: "REMOVE entryOf",
    }),
  );
  await client.send(
    new UpdateCommand({
      TableName: "connections",
      Key: { id: `account#${encodeURIComponent(account)}` },
      UpdateExpression: "REMOVE organizations",
    }),
  );
};

describe("the organizations of an account", () => {
  it("are none before the first connection", async () => {
    await expect(owners()).resolves.toEqual([]);
  });

  it("are all that have connected it, each with its connection", async () => {
    await connect("a");
    await connect("b", { method: "oauth" });
    await expect(stores.directory.ownersOf(account)).resolves.toEqual(
      expect.arrayContaining([
        { organizationId: org("a"), connectionId: "id a", method: "api_key" },
        { organizationId: org("b"), connectionId: "id b", method: "oauth" },
      ]),
    );
    await stores.connections.disconnectQuietly(org("a"));
    await expect(owners()).resolves.toEqual([org("b")]);
    await stores.connections.disconnectQuietly(org("b"));
    await expect(owners()).resolves.toEqual([]);
    const left = await table.item(`account#${encodeURIComponent(account)}`);
    expect(left).toEqual({ id: expect.any(String), ttl: expect.any(Number) });
  });

  it("have the newest connection after another connect, and none that must be made again", async () => {
    await connect("a");
    await stores.connections.connectQuietly(org("a"), connectionNamed("new", { accountId: account, method: "oauth" }));
    const entry = { organizationId: org("a"), connectionId: "id new", method: "oauth" };
    await expect(stores.directory.ownersOf(account)).resolves.toEqual([entry]);
    await stores.connections.requireReconnectQuietly(org("a"), connectionNamed("new"));
    await expect(owners()).resolves.toEqual([]);
    await connect("a");
    await expect(owners()).resolves.toEqual([org("a")]);
  });

  it("change when an organization connects another account", async () => {
    await connect("a");
    await connect("a", { accountId: `${account}2` });
    await expect(owners()).resolves.toEqual([]);
    await expect(owners(`${account}2`)).resolves.toEqual([org("a")]);
    await connect("a");
    await expect(owners()).resolves.toEqual([org("a")]);
    const item = await table.item(`account#${encodeURIComponent(account)}`);
    expect(item).not.toHaveProperty("ttl");
  });

  it("are limited; organizations that have it can connect it again", async () => {
    const limited = limitedTo(2);
    await connect("a", { acceptedAt: 1 });
    await connect("b", { method: "oauth" });
    const third = limited.connections.connectQuietly(org("c"), connectionNamed("c", { accountId: account }));
    await expect(third).rejects.toMatchObject({ code: "account_shared" });
    await expect(stores.connections.read(org("c"))).resolves.toEqual({ status: "disconnected" });
    await limited.connections.connectQuietly(org("b"), connectionNamed("b2", { accountId: account, acceptedAt: 1 }));
    await expect(owners()).resolves.toEqual([org("a"), org("b")]);
  });

  it("agree with the connections after concurrent connects and disconnects, even if answers are lost", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const lossy = table.storesAt(proxy.url);
    await Promise.all(
      names.flatMap((name, i) => {
        const { connections } = i % 2 === 0 ? lossy : stores;
        const connection = connectionNamed(name, { accountId: account });
        return [
          connections.connectQuietly(org(name), connection).then(() => connections.disconnectQuietly(org(name))),
          connections.connectQuietly(org(`${name}${name}`), connection),
        ];
      }),
    );
    await expect(owners()).resolves.toEqual(names.map((name) => org(`${name}${name}`)).sort());
  });
});

describe("a connection of an earlier version", () => {
  it("can be made again after an earlier version has disconnected it, which leaves the entry", async () => {
    await connect("a");
    const client = table.newClient();
    const names = ["connectionId", "accountId", "connectedAt", "credentials", "credentialsVersion"];
    await client.send(
      new UpdateCommand({
        TableName: "connections",
        Key: { id: `org#${encodeURIComponent(org("a"))}` },
        UpdateExpression: `SET #status = :status REMOVE connectedShard, ${names.join(", ")}`,
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":status": "disconnected" },
      }),
    );
    await connect("a", { accountId: `${account}2` });
    await expect(owners()).resolves.toEqual([]);
    await expect(owners(`${account}2`)).resolves.toEqual([org("a")]);
  });

  it("is entered once, and then removed with the connection", async () => {
    await connect("a");
    await forgetEntry("a");
    await expect(owners()).resolves.toEqual([]);
    const connection = connectionNamed("a", { accountId: account });
    await Promise.all([1, 2, 3].map(() => stores.connections.enterDirectory(org("a"), connection, NOON)));
    await expect(owners()).resolves.toEqual([org("a")]);
    await stores.connections.disconnectQuietly(org("a"));
    await expect(owners()).resolves.toEqual([]);
  });

  it("by API key is entered when the provider accepts the key", async () => {
    const world = createWorld(stores);
    world.provider.secrets.set("sk_old", account);
    await world.connect({ method: "api_key", apiKey: "sk_old" }, org("a"));
    await forgetEntry("a");
    const { credentials } = await world.openConnection(org("a"));
    await expect(owners()).resolves.toEqual([]);
    world.now += HOUR;
    await credentials.accepted?.();
    await expect(owners()).resolves.toEqual([org("a")]);
  });

  it("is entered by the next work that opens it, which a failure does not stop", async () => {
    const world = createWorld(stores);
    await world.connectByOAuth(org("a"), account);
    await forgetEntry("a");
    const failing = {
      ...stores,
      connections: { ...stores.connections, enterDirectory: () => Promise.reject(new Error()) },
    };
    await expect(createWorld(failing).openConnection(org("a"))).resolves.toBeDefined();
    await expect(owners()).resolves.toEqual([]);
    await world.openConnection(org("a"));
    await expect(owners()).resolves.toEqual([org("a")]);
  });

  it("is not entered after it was replaced or removed", async () => {
    await connect("a");
    await forgetEntry("a");
    const old = connectionNamed("a", { accountId: account });
    await stores.connections.disconnectQuietly(org("a"));
    await stores.connections.enterDirectory(org("a"), old, NOON);
    await expect(owners()).resolves.toEqual([]);
    await connect("a", { connectionId: "id new", accountId: `${account}2` });
    await stores.connections.enterDirectory(org("a"), old, NOON);
    await expect(owners()).resolves.toEqual([]);
  });

  it("is never left in the directory by a disconnect at the same time", async () => {
    for (const attempt of [1, 2, 3, 4, 5]) {
      const name = `a${attempt}`;
      await connect(name);
      await forgetEntry(name);
      const connection = connectionNamed(name, { accountId: account });
      await Promise.all([
        stores.connections.enterDirectory(org(name), connection, NOON),
        stores.connections.disconnectQuietly(org(name)),
      ]);
      await expect(owners()).resolves.toEqual([]);
    }
  });
});

describe("an account without room", () => {
  /** Connects by a key that the provider accepts now. */
  const connectAt = (name: string, at: number, limited = limitedTo(2)) =>
    limited.connections.connectQuietly(
      org(name),
      connectionNamed(name, { accountId: account, connectedAt: at, acceptedAt: at }),
    );
  /** An accepted call of a connection that is opened now. */
  const note = async (name: string, at: number, { connections } = limitedTo(2)) => {
    const opened = await connections.read(org(name));
    if (opened.status === "connected") await connections.noteAccepted(org(name), opened, at);
  };
  const shared = { code: "account_shared" };

  it("has a place of a connection that must be made again", async () => {
    await connectAt("a", NOON);
    await connectAt("b", NOON);
    await expect(connectAt("c", NOON)).rejects.toMatchObject(shared);
    await stores.connections.requireReconnectQuietly(org("a"), connectionNamed("a"));
    await connectAt("c", NOON);
    await expect(owners()).resolves.toEqual([org("b"), org("c")]);
    await expect(connectAt("a", NOON)).rejects.toMatchObject(shared);
  });

  it("has the place of the key that was not accepted for the longest time, from 24 hours on", async () => {
    await connectAt("b", NOON - 1);
    await connectAt("a", NOON);
    await expect(connectAt("c", NOON - 2 + DAY)).rejects.toMatchObject(shared);
    await connectAt("c", NOON + DAY);
    await expect(owners()).resolves.toEqual([org("a"), org("c")]);
    await expect(stores.connections.read(org("b"))).resolves.toMatchObject({ status: "connected" });
    await connectAt("d", NOON + DAY);
    await expect(owners()).resolves.toEqual([org("c"), org("d")]);
    await expect(connectAt("e", NOON + DAY)).rejects.toMatchObject(shared);
  });

  it("never has the place of a connection by OAuth", async () => {
    await connect("a", { method: "oauth" });
    await connect("b", { method: "oauth" });
    await expect(connectAt("c", NOON + 365 * DAY)).rejects.toMatchObject(shared);
  });

  deepIt("gives one place to one of two connects at once, even if answers are lost", async () => {
    const lossy = table.limitedAt(proxy.url, 2);
    for (const round of [1, 2, 3]) {
      account = `${account}${round}`;
      await connectAt("a", NOON);
      await connectAt("b", NOON + DAY);
      const ends = await Promise.allSettled([connectAt("c", NOON + DAY, lossy), connectAt("d", NOON + DAY)]);
      const [refused, ...others] = ends.filter(({ status }) => status === "rejected");
      expect([refused, others]).toMatchObject([{ reason: shared }, []]);
      const winner = ends[0].status === "fulfilled" ? "c" : "d";
      await expect(owners()).resolves.toEqual([org("b"), org(winner)]);
      const loser = winner === "c" ? "d" : "c";
      await expect(stores.connections.read(org(loser))).resolves.toMatchObject({ status: "disconnected" });
      for (const name of ["a", "b", "c", "d"]) await stores.connections.disconnectQuietly(org(name));
      await expect(owners()).resolves.toEqual([]);
    }
  });

  it("takes a displaced connection back when the provider accepts its key and there is room", async () => {
    await connectAt("a", NOON);
    await connectAt("b", NOON + DAY);
    await connectAt("c", NOON + DAY);
    await note("a", NOON + DAY);
    await expect(owners()).resolves.toEqual([org("b"), org("c")]);
    const without = await stores.connections.read(org("a"));
    expect(without).toMatchObject({ status: "connected", acceptedAt: NOON + DAY });
    expect(without).not.toHaveProperty("entryOf");
    await stores.connections.disconnectQuietly(org("b"));
    await note("a", NOON + DAY + HOUR);
    await expect(owners()).resolves.toEqual([org("a"), org("c")]);
    await expect(stores.connections.read(org("a"))).resolves.toMatchObject({ entryOf: account });
  });

  deepIt("is left by a displaced connection that ends while it enters again", async () => {
    for (const round of [1, 2, 3, 4, 5]) {
      account = `${account}${round}`;
      await connectAt("a", NOON);
      await connectAt("b", NOON + DAY);
      await connectAt("c", NOON + DAY);
      await stores.connections.disconnectQuietly(org("c"));
      await Promise.all([note("a", NOON + DAY), stores.connections.disconnectQuietly(org("a"))]);
      await expect(owners()).resolves.toEqual([org("b")]);
      await stores.connections.disconnectQuietly(org("b"));
    }
  });
});

describe("an accepted API key", () => {
  const connectWithKey = async () => {
    const world = createWorld(stores);
    world.provider.secrets.set("sk_1", account);
    await world.connect({ method: "api_key", apiKey: "sk_1" }, org("a"));
    return world;
  };
  const acceptedAt = async () => {
    const [entry] = await stores.directory.ownersOf(account);
    const stored = await stores.connections.read(org("a"));
    expect(stored).toMatchObject(entry?.acceptedAt === undefined ? {} : { acceptedAt: entry.acceptedAt });
    return entry?.acceptedAt;
  };

  it("is noted by a connect, and then at most once an hour", async () => {
    const world = await connectWithKey();
    await expect(acceptedAt()).resolves.toBe(NOON);
    world.now += HOUR - 1;
    const { credentials } = await world.openConnection(org("a"));
    await credentials.accepted?.();
    await expect(acceptedAt()).resolves.toBe(NOON);
    world.now += 1;
    await credentials.accepted?.();
    await expect(acceptedAt()).resolves.toBe(NOON + HOUR);
  });

  it("is not noted for another key that was stored since, nor after a disconnect", async () => {
    const world = await connectWithKey();
    const { credentials } = await world.openConnection(org("a"));
    world.provider.secrets.set("sk_2", account);
    await world.connect({ method: "api_key", apiKey: "sk_2" }, org("a"));
    world.now += HOUR;
    await credentials.accepted?.();
    await expect(acceptedAt()).resolves.toBe(NOON);
    const { credentials: later } = await world.openConnection(org("a"));
    await world.disconnect(org("a"));
    await later.accepted?.();
    await expect(owners()).resolves.toEqual([]);
  });

  it("is shown by platformEvents: true for 24 hours, then false until the provider accepts the key again", async () => {
    const world = await connectWithKey();
    const shown = async () => (await world.view(org("a"), await stores.connections.read(org("a")))).platformEvents;
    world.now += DAY - 1;
    await expect(shown()).resolves.toBe(true);
    world.now += 1;
    await expect(shown()).resolves.toBe(false);
    const { credentials } = await world.openConnection(org("a"));
    await credentials.accepted?.();
    await expect(shown()).resolves.toBe(true);
    await world.disconnect(org("a"));
    await expect(shown()).resolves.toBeUndefined();
    await world.connectByOAuth(org("a"), account);
    world.now += 30 * DAY;
    await expect(shown()).resolves.toBe(true);
  });

  it("does not fail the work if it cannot be noted", async () => {
    const world = await connectWithKey();
    const noteAccepted = () => Promise.reject(new Error("The store is down."));
    const failing = createWorld({ ...stores, connections: { ...stores.connections, noteAccepted } });
    const { credentials } = await failing.openConnection(org("a"));
    failing.now = world.now + HOUR;
    await expect(credentials.accepted?.()).resolves.toBeUndefined();
    await expect(acceptedAt()).resolves.toBe(NOON);
  });
});
