import { beforeEach, describe, expect, it } from "@jest/globals";
import { connectedSpans } from "../../../shared/connection/connected-spans.ts";
import type { NewConnection } from "../../../shared/connection/connection-change-store.ts";
import { TOKEN_LIFE_MS } from "../../../shared/connection/connection-method.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { usePerFile } from "../../support/use-started.ts";
import { connectionNamed, listed, sealedText, storesOver, textOf, useConnections } from "./connection-table.ts";

const table = useConnections();
const { stores } = table;
const proxy = usePerFile(() => startLossyProxy(table.running().endpoint));
let organizations = 0;
let org = "";

beforeEach(() => {
  org = `acme/${++organizations} #ü`;
});

const isListed = async () => (await listed(stores)).includes(org);
const secrets = sealedText("webhook secrets");
/** An operator's change of the circuit. */
const operate = (change: { action: "force_open" | "reset"; at: number; id: string }) =>
  stores.circuits.operate(org, { ...change, by: "alice", baseline: { total: 0, failed: 0, rejected: 0 } });
/** A connection as it is read. */
const asRead = (connection: NewConnection) => ({
  status: "connected",
  entryOf: connection.accountId,
  ...connection,
});

describe("the connection of an organization", () => {
  it("is disconnected if there never was one", async () => {
    await expect(stores.connections.read(org)).resolves.toEqual({ status: "disconnected" });
    expect(await isListed()).toBe(false);
  });

  it("is stored as a whole, listed and counted once", async () => {
    const before = await stores.connected.countConnected();
    const connection = connectionNamed("a", { tokenExpiresAt: 5, method: "oauth", webhookSecrets: secrets });
    await stores.connections.connectQuietly(org, connection);
    await expect(stores.connections.read(org)).resolves.toEqual(asRead(connection));
    expect((await listed(stores)).filter((one) => one === org)).toHaveLength(1);
    await stores.connections.connectQuietly(org, connectionNamed("b"));
    await expect(stores.connected.countConnected()).resolves.toBe(before + 1);
  });

  it("keeps nothing of the previous one, except webhook secrets of the same account", async () => {
    await stores.connections.connectQuietly(
      org,
      connectionNamed("a", { method: "oauth", tokenExpiresAt: 5, webhookSecrets: secrets }),
    );
    const { credentialsVersion, connectionId } = connectionNamed("a");
    const lease = { owner: "me", now: 0, until: 9 };
    await stores.refreshes.takeLease(org, { connectionId, credentialsVersion }, lease);
    await stores.connections.connectQuietly(org, connectionNamed("b"));
    await expect(stores.connections.read(org)).resolves.toEqual({
      ...asRead(connectionNamed("b", { webhookSecrets: secrets })),
      connectedSince: 1,
    });
    await stores.connections.connectQuietly(org, connectionNamed("c", { accountId: "acct_2" }));
    await expect(stores.connections.read(org)).resolves.toEqual({
      ...asRead(connectionNamed("c", { accountId: "acct_2" })),
      connectedSince: 1,
    });
  });

  it("is removed with its secrets, once", async () => {
    const before = await stores.connected.countConnected();
    await stores.connections.connectQuietly(org, connectionNamed("a", { webhookSecrets: secrets }));
    await expect(stores.connections.disconnectQuietly(org, "another")).resolves.toBe("another");
    await expect(stores.connections.disconnectQuietly(org, "id a")).resolves.toBe("removed");
    await expect(stores.connections.disconnectQuietly(org)).resolves.toBe("none");
    const item = await table.item(organizationKey(org));
    expect(Object.keys(item ?? {}).sort()).toEqual(["id", "status", "token"]);
    expect(await isListed()).toBe(false);
    await expect(stores.connected.countConnected()).resolves.toBe(before);
  });

  it("becomes needs_reconnect only if the failed credentials are the stored ones", async () => {
    const before = await stores.connected.countConnected();
    const connection = connectionNamed("a", { webhookSecrets: secrets });
    await stores.connections.connectQuietly(org, connection);
    const { requireReconnectQuietly } = stores.connections;
    await expect(requireReconnectQuietly(org, { ...connection, credentialsVersion: "old" })).resolves.toBe(false);
    await expect(requireReconnectQuietly(org, { ...connection, connectionId: "old" })).resolves.toBe(false);
    await expect(requireReconnectQuietly(org, connection)).resolves.toBe(true);
    await expect(requireReconnectQuietly(org, connection)).resolves.toBe(false);
    const { credentials: _, ...rest } = connection;
    await expect(stores.connections.read(org)).resolves.toEqual({ status: "needs_reconnect", ...rest });
    expect(await table.item(organizationKey(org))).not.toHaveProperty("credentials");
    expect(await isListed()).toBe(false);
    await expect(stores.connected.countConnected()).resolves.toBe(before);
    await expect(stores.connections.disconnectQuietly(org)).resolves.toBe("removed");
    await expect(stores.connected.countConnected()).resolves.toBe(before);
  });
});

describe("the spans of a connection", () => {
  const HOUR = 3_600_000;
  const connectAt = (name: string, hour: number) =>
    stores.connections.connectQuietly(org, connectionNamed(name, { connectedAt: hour * HOUR }));
  const disconnectAt = (hour: number) => stores.connections.disconnectQuietly(org, undefined, hour * HOUR);
  const spans = async () => connectedSpans(await stores.connections.read(org));

  it("are not broken by another key, and stay when the connection ends", async () => {
    await connectAt("a", 1);
    await connectAt("b", 2);
    expect(await spans()).toEqual([{ since: HOUR }]);
    await disconnectAt(3);
    await connectAt("c", 4);
    expect(await spans()).toEqual([{ since: HOUR, until: 3 * HOUR }, { since: 4 * HOUR }]);
    await stores.connections.requireReconnectQuietly(org, connectionNamed("c"), 6 * HOUR);
    await connectAt("d", 7);
    await disconnectAt(7.9);
    const ended = [
      { since: HOUR, until: 3 * HOUR },
      { since: 4 * HOUR, until: 6 * HOUR },
    ];
    // What was shorter than an hour contains no window.
    expect(await spans()).toEqual(ended);
    expect(await stores.connections.read(org)).toEqual({ status: "disconnected", connectedBefore: ended });
  });

  it("begin with the exchange of tokens that connects again", async () => {
    const connection = connectionNamed("a", { method: "oauth", tokenExpiresAt: 5 });
    await stores.connections.connectQuietly(org, connection);
    await stores.connections.requireReconnectQuietly(org, connection, 3 * HOUR);
    const tokens = { credentials: sealedText("new"), credentialsVersion: "new", tokenExpiresAt: 4 * HOUR };
    await expect(stores.refreshes.storeTokens(org, connection, tokens)).resolves.toBe(true);
    expect(await spans()).toEqual([{ since: 1, until: 3 * HOUR }, { since: 3 * HOUR }]);
  });

  it("are forgotten when the records' claim is released", async () => {
    await connectAt("a", 1);
    await stores.claims.claimRecords(org, connectionNamed("a"));
    await disconnectAt(5);
    await expect(stores.claims.releaseRecords(org, "id a")).resolves.toBe(true);
    expect(await spans()).toEqual([]);
  });
});

describe("the claim on records", () => {
  it("excludes other accounts until it is released, also after disconnects", async () => {
    const connection = connectionNamed("a");
    await stores.connections.connectQuietly(org, connection);
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(true);
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(true);
    await stores.connections.disconnectQuietly(org);
    const another = connectionNamed("b", { accountId: "acct_2" });
    await expect(stores.connections.connectQuietly(org, another)).rejects.toMatchObject({ code: "other_account" });
    await expect(stores.connections.read(org)).resolves.toEqual({
      status: "disconnected",
      holdsRecordsOf: "acct_1",
      claimedBy: connection.connectionId,
    });
    await expect(stores.claims.releaseRecords(org, connection.connectionId)).resolves.toBe(true);
    await stores.connections.connectQuietly(org, another);
    await expect(stores.connections.read(org)).resolves.toMatchObject({ accountId: "acct_2" });
  });

  it("is refused to a connection that was replaced or removed, or is in needs_reconnect", async () => {
    const connection = connectionNamed("a");
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(false);
    await stores.connections.connectQuietly(org, connection);
    await stores.connections.requireReconnectQuietly(org, connection);
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(false);
    await stores.connections.connectQuietly(org, connectionNamed("b", { accountId: "acct_2" }));
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(false);
    await stores.connections.disconnectQuietly(org);
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(false);
    expect(await table.item(organizationKey(org))).not.toHaveProperty("holdsRecordsOf");
  });

  it.each([
    ["is in needs_reconnect", (one: NewConnection) => stores.connections.requireReconnectQuietly(org, one)],
    ["was removed", () => stores.connections.disconnectQuietly(org)],
  ])("is refused to a connection that claimed before, and %s now", async (_what, end) => {
    const connection = connectionNamed("a");
    await stores.connections.connectQuietly(org, connection);
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(true);
    await end(connection);
    await expect(stores.claims.claimRecords(org, connection)).resolves.toBe(false);
  });

  it("is not released by an erasure that began before a later claim", async () => {
    const [first, second] = [connectionNamed("a"), connectionNamed("b")];
    await stores.connections.connectQuietly(org, first);
    await stores.claims.claimRecords(org, first);
    await stores.connections.disconnectQuietly(org);
    await stores.connections.connectQuietly(org, second);
    await expect(stores.claims.releaseRecords(org, first.connectionId)).resolves.toBe(false);
    await stores.claims.claimRecords(org, second);
    await stores.connections.disconnectQuietly(org);
    await expect(stores.claims.releaseRecords(org, first.connectionId)).resolves.toBe(false);
    await expect(stores.connections.read(org)).resolves.toMatchObject({ holdsRecordsOf: "acct_1" });
  });

  it("and a concurrent connect of another account: one of them succeeds", async () => {
    for (let round = 0; round < 10; round++) {
      org = `claim or connect ${round}`;
      const connection = connectionNamed("a");
      await stores.connections.connectQuietly(org, connection);
      const [isClaimed, isConnected] = await Promise.all([
        stores.claims.claimRecords(org, connection),
        stores.connections.connectQuietly(org, connectionNamed("b", { accountId: "acct_2" })).then(
          () => true,
          () => false,
        ),
      ]);
      expect(isClaimed).toBe(!isConnected);
      const { accountId, holdsRecordsOf } = (await table.item(organizationKey(org))) ?? {};
      expect([accountId, holdsRecordsOf]).toEqual(isClaimed ? ["acct_1", "acct_1"] : ["acct_2", undefined]);
    }
  });
});

describe("concurrent calls", () => {
  it("connect one organization: the last connection stays as a whole and counts once", async () => {
    const before = await stores.connected.countConnected();
    const names = Array.from({ length: 20 }, (_, i) => `${i}`);
    const connections = names.map((name) =>
      connectionNamed(name, {
        accountId: `acct_${Number(name) % 2}`,
        ...(Number(name) % 3 === 0 && { method: "oauth", tokenExpiresAt: Number(name) }),
        webhookSecrets: sealedText(`webhooks ${name}`),
        connectedAt: Number(name),
      }),
    );
    await Promise.all(connections.map((connection) => stores.connections.connectQuietly(org, connection)));
    const stored = await stores.connections.read(org);
    const whole = connections.find(
      ({ connectionId }) => "connectionId" in stored && connectionId === stored.connectionId,
    );
    const { connectedSince, ...others } = { connectedSince: undefined, ...stored };
    expect(names.map(Number)).toContain(connectedSince);
    expect(others).toEqual({ status: "connected", entryOf: whole?.accountId, ...whole });
    await expect(stores.connected.countConnected()).resolves.toBe(before + 1);
  });

  it("never give one account's webhook secrets to another", async () => {
    for (let round = 0; round < 5; round++) {
      org = `secrets ${round}`;
      await Promise.all(
        Array.from({ length: 12 }, (_, i) => {
          const accountId = `acct_${i % 3}`;
          const own = i % 2 === 0 ? { webhookSecrets: sealedText(accountId) } : {};
          return stores.connections.connectQuietly(org, connectionNamed(`${i}`, { accountId, ...own }));
        }),
      );
      const stored = await stores.connections.read(org);
      if (stored.status !== "connected") throw new Error("not connected");
      expect([undefined, stored.accountId]).toContain(textOf(stored.webhookSecrets));
    }
  });

  it("connect and disconnect different organizations: the count and the list agree", async () => {
    const before = await stores.connected.countConnected();
    const others = Array.from({ length: 20 }, (_, i) => `many ${i}`);
    await Promise.all(others.map((one) => stores.connections.connectQuietly(one, connectionNamed(one))));
    await expect(stores.connected.countConnected()).resolves.toBe(before + 20);
    await Promise.all(
      others.flatMap((one, i) => [
        ...(i % 2 === 0 ? [stores.connections.disconnectQuietly(one), stores.connections.disconnectQuietly(one)] : []),
        ...(i % 3 === 0 ? [stores.connections.requireReconnectQuietly(one, connectionNamed(one))] : []),
        ...(i % 5 === 0 ? [stores.connections.connectQuietly(one, connectionNamed(`${one} again`))] : []),
      ]),
    );
    await expect(stores.connected.countConnected()).resolves.toBe((await listed(stores)).length);
  });
});

describe("between the read and the write of a connect", () => {
  /** Stores whose first write to the table comes after `meanwhile`. */
  const delayed = (meanwhile: () => Promise<unknown>) => {
    const client = table.newClient();
    let isFirst = true;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (isFirst && /Update|Transact/.test(context.commandName ?? "")) {
          isFirst = false;
          await meanwhile();
        }
        return next(args);
      },
      { step: "initialize", name: "delay" },
    );
    return storesOver(client);
  };

  it("another account's connect is noticed, and its webhook secrets are not taken over", async () => {
    const another = connectionNamed("b", { accountId: "acct_2", webhookSecrets: secrets });
    await stores.connections.connectQuietly(org, connectionNamed("a"));
    const meanwhile = () => stores.connections.connectQuietly(org, another);
    await delayed(meanwhile).connections.connectQuietly(org, connectionNamed("c"));
    await expect(stores.connections.read(org)).resolves.toEqual({ ...asRead(connectionNamed("c")), connectedSince: 1 });
  });

  it("a new webhook endpoint is noticed, and reported as the one that was left", async () => {
    await stores.connections.connectQuietly(org, connectionNamed("a", { webhookEndpointId: "we_a" }));
    const withEndpoint = (name: string) =>
      connectionNamed(name, { webhookEndpointId: `we_${name}`, webhookSecrets: secrets });
    const { connections } = delayed(() => stores.connections.connectQuietly(org, withEndpoint("b")));
    const connected = await connections.connect(org, withEndpoint("c"), {
      eventType: "PROVIDER_CONNECTION_ESTABLISHED",
      connectionId: "id c",
      accountId: "acct_1",
      method: "api_key",
      at: 1,
      source: "user",
    });
    expect(connected).toMatchObject({ webhookEndpointId: "we_c", leftEndpointId: "we_b" });
  });

  it("a claim is noticed", async () => {
    await stores.connections.connectQuietly(org, connectionNamed("a"));
    const { connections } = delayed(() => stores.claims.claimRecords(org, connectionNamed("a")));
    const connecting = connections.connectQuietly(org, connectionNamed("b", { accountId: "acct_2" }));
    await expect(connecting).rejects.toMatchObject({ code: "other_account" });
  });

  it("a disconnect is noticed, and the connection is counted", async () => {
    const before = await stores.connected.countConnected();
    await stores.connections.connectQuietly(org, connectionNamed("a"));
    const { connections } = delayed(() => stores.connections.disconnectQuietly(org));
    await connections.connectQuietly(org, connectionNamed("b"));
    await expect(stores.connected.countConnected()).resolves.toBe(before + 1);
    expect(await isListed()).toBe(true);
  });

  it("an opening circuit is noticed at every change", async () => {
    const before = (await stores.circuits.countOpen(5)).unconnected;
    await delayed(() => operate({ action: "force_open", at: 1, id: "open" })).connections.connectQuietly(
      org,
      connectionNamed("a"),
    );
    expect((await stores.circuits.countOpen(5)).unconnected).toBe(before);
    const { connections } = delayed(() => operate({ action: "reset", at: 1, id: "reset" }));
    await expect(connections.requireReconnectQuietly(org, connectionNamed("a"))).resolves.toBe(true);
  });
});

describe("the organization's circuit", () => {
  const open = () => operate({ action: "force_open", at: 1, id: "o1" });
  const close = () => operate({ action: "reset", at: 2, id: "o2" });
  const unconnected = async () => (await stores.circuits.countOpen(5)).unconnected;

  it("is marked by the transaction that counts the connection, open or not", async () => {
    const before = await unconnected();
    await open();
    expect(await unconnected()).toBe(before + 1);
    await stores.connections.connectQuietly(org, connectionNamed("a"));
    expect(await unconnected()).toBe(before);
    await stores.connections.requireReconnectQuietly(org, connectionNamed("a"));
    expect(await unconnected()).toBe(before + 1);
    await close();
    await stores.connections.connectQuietly(org, connectionNamed("b"));
    await open();
    expect(await unconnected()).toBe(before);
    await stores.connections.disconnectQuietly(org);
    expect(await unconnected()).toBe(before + 1);
    await close();
  });

  it("may open and close while organizations connect and disconnect", async () => {
    const before = await unconnected();
    const counted = await stores.connected.countConnected();
    for (let round = 0; round < 10; round++) {
      await Promise.all([open(), stores.connections.connectQuietly(org, connectionNamed("a")), close()]);
      await Promise.all([stores.connections.disconnectQuietly(org), open()]);
      await close();
    }
    await open();
    expect(await unconnected()).toBe(before + 1);
    await expect(stores.connected.countConnected()).resolves.toBe(counted);
    await close();
  });
});

describe("behind a network that loses every first answer", () => {
  it("each change is made once and reported as made", async () => {
    const before = await stores.connected.countConnected();
    const lossy = table.storesAt(proxy.url);
    const connection = connectionNamed("a", { method: "oauth", tokenExpiresAt: 5 });
    await lossy.connections.connectQuietly(org, connection);
    await expect(stores.connected.countConnected()).resolves.toBe(before + 1);
    await expect(lossy.claims.claimRecords(org, connection)).resolves.toBe(true);
    const lease = { owner: "me", now: 1, until: 10 };
    await expect(lossy.refreshes.takeLease(org, connection, lease)).resolves.toBe(true);
    const tokens = { credentials: sealedText("new"), credentialsVersion: "new", tokenExpiresAt: 9 };
    await expect(lossy.refreshes.storeTokens(org, connection, tokens)).resolves.toBe(true);
    const renewed = { ...connection, credentialsVersion: "new" };
    await expect(lossy.connections.requireReconnectQuietly(org, renewed)).resolves.toBe(true);
    await expect(stores.connected.countConnected()).resolves.toBe(before);
    await expect(lossy.connections.disconnectQuietly(org)).resolves.toBe("removed");
    await expect(lossy.claims.releaseRecords(org, connection.connectionId)).resolves.toBe(true);
    await lossy.connections.connectQuietly(org, connectionNamed("b"));
    await expect(lossy.connections.disconnectQuietly(org)).resolves.toBe("removed");
    await expect(stores.connected.countConnected()).resolves.toBe(before);
  });
});

describe("the lease of a refresh", () => {
  const connection = connectionNamed("a", { method: "oauth", tokenExpiresAt: 5 });
  const leaseOf = (owner: string, now: number) => ({ owner, now, until: now + 15 });

  it("has one owner among twenty, until it expires or ends", async () => {
    await stores.connections.connectQuietly(org, connection);
    const take = (owner: string, now: number) => stores.refreshes.takeLease(org, connection, leaseOf(owner, now));
    const taken = await Promise.all(Array.from({ length: 20 }, (_, i) => take(`${i}`, 100)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    const owner = `${taken.indexOf(true)}`;
    await expect(take("later", 114)).resolves.toBe(false);
    await stores.refreshes.endLease(org, "nobody", 100);
    await expect(take("later", 114)).resolves.toBe(false);
    await stores.refreshes.endLease(org, owner, 100);
    await expect(take("later", 101)).resolves.toBe(true);
    await expect(take("last", 116)).resolves.toBe(true);
  });

  it("is for these credentials of this connection only", async () => {
    await expect(stores.refreshes.takeLease(org, connection, leaseOf("me", 1))).resolves.toBe(false);
    await stores.connections.connectQuietly(org, connection);
    for (const other of [
      { ...connection, connectionId: "old" },
      { ...connection, credentialsVersion: "old" },
    ]) {
      await expect(stores.refreshes.takeLease(org, other, leaseOf("me", 1))).resolves.toBe(false);
    }
    await stores.connections.disconnectQuietly(org);
    await stores.refreshes.endLease(org, "me", 1);
    await expect(stores.refreshes.takeLease(org, connection, leaseOf("me", 1))).resolves.toBe(false);
    expect(await table.item(organizationKey(org))).not.toHaveProperty("refreshUntil");
  });

  it("ends when tokens are stored; tokens replace only the exchanged ones", async () => {
    await stores.connections.connectQuietly(org, connection);
    await stores.refreshes.takeLease(org, connection, leaseOf("me", 1));
    const tokens = { credentials: sealedText("new"), credentialsVersion: "new", tokenExpiresAt: 99 };
    await expect(stores.refreshes.storeTokens(org, { ...connection, connectionId: "old" }, tokens)).resolves.toBe(
      false,
    );
    await expect(stores.refreshes.storeTokens(org, connection, tokens)).resolves.toBe(true);
    await expect(stores.connections.read(org)).resolves.toEqual(asRead({ ...connection, ...tokens }));
    const late = { ...tokens, credentialsVersion: "late" };
    await expect(stores.refreshes.storeTokens(org, connection, late)).resolves.toBe(false);
    await stores.connections.disconnectQuietly(org);
    await expect(stores.refreshes.storeTokens(org, { ...connection, ...tokens }, late)).resolves.toBe(false);
    await expect(stores.connections.read(org)).resolves.toEqual({ status: "disconnected" });
  });

  it("returns to connected if a later exchange had set needs_reconnect", async () => {
    const before = await stores.connected.countConnected();
    await stores.connections.connectQuietly(org, connection);
    await stores.connections.requireReconnectQuietly(org, connection);
    const tokens = { credentials: sealedText("new"), credentialsVersion: "new", tokenExpiresAt: 99 };
    await expect(stores.refreshes.storeTokens(org, connection, tokens)).resolves.toBe(true);
    // The account's directory gets its entry again with the next work of the connection.
    const { entryOf: _, ...withoutEntry } = asRead({ ...connection, ...tokens });
    const connectedSince = tokens.tokenExpiresAt - TOKEN_LIFE_MS;
    await expect(stores.connections.read(org)).resolves.toEqual({ ...withoutEntry, connectedSince });
    expect(await isListed()).toBe(true);
    await expect(stores.connected.countConnected()).resolves.toBe(before + 1);
  });
});

describe("the mark of a used state", () => {
  it("belongs to one of twenty callers, and only that caller can remove it", async () => {
    const marks = await Promise.all(Array.from({ length: 20 }, () => stores.usedStates.markUsed("state", 1_000)));
    const [mark = "", ...others] = marks.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    await stores.usedStates.release("state", "another");
    await expect(stores.usedStates.markUsed("state", 1_000)).resolves.toBeUndefined();
    await stores.usedStates.release("state", mark);
    await expect(stores.usedStates.markUsed("state", 1_000)).resolves.toBeDefined();
  });

  it("is recognised as the caller's own after lost answers", async () => {
    const lossy = table.storesAt(proxy.url);
    const mark = await lossy.usedStates.markUsed("lost", 1_000);
    expect(mark).toBeDefined();
    await expect(stores.usedStates.markUsed("lost", 1_000)).resolves.toBeUndefined();
    await lossy.usedStates.release("lost", mark ?? "");
    await expect(stores.usedStates.markUsed("lost", 1_000)).resolves.toBeDefined();
  });
});
