/** The request units of connections, as the engine counts them: the figures of docs/connection.md. */
import { expect, it } from "@jest/globals";
import { countUnits } from "../../support/consumed-units.ts";
import { connectionNamed, listed, storesOver, useConnections } from "./connection-table.ts";

const table = useConnections();

it("costs the documented units", async () => {
  const client = table.newClient();
  const measure = countUnits(client);
  const { connections, refreshes, claims, connected, directory } = storesOver(client);
  const credentials = new Uint8Array(390);
  const connection = connectionNamed("a", {
    method: "oauth",
    tokenExpiresAt: 1,
    credentials,
    webhookSecrets: credentials,
  });
  const key = connectionNamed("a", { credentials, webhookSecrets: credentials });
  const tokens = { credentials, credentialsVersion: "new", tokenExpiresAt: 2 };
  const costs = {
    connect: await measure(() => connections.connectQuietly("acme", connection)),
    read: await measure(() => connections.read("acme")),
    again: await measure(() => connections.connectQuietly("acme", connection)),
    claim: await measure(() => claims.claimRecords("acme", connection)),
    lease: await measure(() => refreshes.takeLease("acme", connection, { owner: "me", now: 1, until: 2 })),
    store: await measure(() => refreshes.storeTokens("acme", connection, tokens)),
    list: await measure(() => listed({ connected })),
    owners: await measure(() => directory.ownersOf("acct_1")),
    require: await measure(() =>
      connections.requireReconnectQuietly("acme", { ...connection, credentialsVersion: "new" }),
    ),
    key: await measure(() => connections.connectQuietly("acme", { ...key, acceptedAt: 1 })),
    note: await measure(() => connections.noteAccepted("acme", key, 2)),
    disconnect: await measure(() => connections.disconnectQuietly("acme")),
  };
  expect(costs).toEqual({
    connect: { read: 3, write: 13 },
    read: { read: 1, write: 0 },
    again: { read: 2, write: 8 },
    // Since a connect has replaced the connection, its item is larger than 1 KB.
    claim: { read: 0, write: 2 },
    lease: { read: 0, write: 2 },
    store: { read: 0, write: 2 },
    list: { read: 8, write: 0 },
    owners: { read: 1, write: 0 },
    require: { read: 3, write: 12 },
    key: { read: 3, write: 13 },
    note: { read: 1, write: 4 },
    disconnect: { read: 3, write: 10 },
  });
});
