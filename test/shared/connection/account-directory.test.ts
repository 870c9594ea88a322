/** Which organizations have connected an account: always what the connections say. */

import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerFile } from "../../support/use-started.ts";
import { connectionNamed, storesOver, useConnections } from "./connection-table.ts";
import { createWorld } from "./world.ts";

quietLog();

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

  it("have the newest connection after another connect, and keep it in needs_reconnect", async () => {
    await connect("a");
    await stores.connections.connectQuietly(org("a"), connectionNamed("new", { accountId: account, method: "oauth" }));
    const entry = { organizationId: org("a"), connectionId: "id new", method: "oauth" };
    await expect(stores.directory.ownersOf(account)).resolves.toEqual([entry]);
    await stores.connections.requireReconnectQuietly(org("a"), connectionNamed("new"));
    await expect(stores.directory.ownersOf(account)).resolves.toEqual([entry]);
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
    const limited = storesOver(table.newClient(), undefined, 2);
    await connect("a");
    await connect("b");
    const third = limited.connections.connectQuietly(org("c"), connectionNamed("c", { accountId: account }));
    await expect(third).rejects.toMatchObject({ code: "account_shared" });
    await expect(stores.connections.read(org("c"))).resolves.toEqual({ status: "disconnected" });
    await limited.connections.connectQuietly(org("b"), connectionNamed("b2", { accountId: account }));
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
    await Promise.all([1, 2, 3].map(() => stores.connections.enterDirectory(org("a"), connection)));
    await expect(owners()).resolves.toEqual([org("a")]);
    await stores.connections.disconnectQuietly(org("a"));
    await expect(owners()).resolves.toEqual([]);
  });

  it("is entered by the next work that opens it, which a failure does not stop", async () => {
    const world = createWorld(stores);
    world.provider.secrets.set("sk_old", account);
    await world.connect({ method: "api_key", apiKey: "sk_old" }, org("a"));
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
    await stores.connections.enterDirectory(org("a"), old);
    await expect(owners()).resolves.toEqual([]);
    await connect("a", { connectionId: "id new", accountId: `${account}2` });
    await stores.connections.enterDirectory(org("a"), old);
    await expect(owners()).resolves.toEqual([]);
  });

  it("is never left in the directory by a disconnect at the same time", async () => {
    for (const attempt of [1, 2, 3, 4, 5]) {
      const name = `a${attempt}`;
      await connect(name);
      await forgetEntry(name);
      const connection = connectionNamed(name, { accountId: account });
      await Promise.all([
        stores.connections.enterDirectory(org(name), connection),
        stores.connections.disconnectQuietly(org(name)),
      ]);
      await expect(owners()).resolves.toEqual([]);
    }
  });
});
