/** A real engine with the tables of connections and circuits, and all stores over them. */

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createConnectionMarkStore } from "../../../shared/circuit-breaker/connection-mark-store.ts";
import { createAccountDirectoryStore } from "../../../shared/connection/account-directory-store.ts";
import {
  type ConnectionChangeStore,
  createConnectionChangeStore,
  type NewConnection,
} from "../../../shared/connection/connection-change-store.ts";
import type { ConnectedItem, ConnectionChange } from "../../../shared/connection/connection-item.ts";
import {
  createConnectedStore,
  createConnectionStore,
  createRecordsClaimStore,
} from "../../../shared/connection/connection-store.ts";
import { createKeyStore } from "../../../shared/connection/key-store.ts";
import { createOAuthStateStore } from "../../../shared/connection/oauth-state-store.ts";
import { createRefreshStore, createWebhookSecretsStore } from "../../../shared/connection/secret-change-store.ts";
import { createTable, getItem } from "../../../shared/runtime/table.ts";
import { useDatabase } from "../../support/use-table.ts";

const TABLE = "connections";
const CIRCUITS = "circuits";

/** @param maxOrganizations of one account; by default enough for all tests of a file. */
export const storesOver = (
  client: DynamoDBDocumentClient,
  marks = createConnectionMarkStore(createTable(client, CIRCUITS)),
  maxOrganizations = 1_000,
) => {
  const directory = createAccountDirectoryStore(createTable(client, TABLE), { maxOrganizations });
  const changes = createConnectionChangeStore(createTable(client, TABLE), marks, directory);
  return { ...othersOver(client, marks), directory, connections: connectionsOver(client, changes) };
};

const connectionsOver = (client: DynamoDBDocumentClient, changes: ConnectionChangeStore) => ({
  ...createConnectionStore(createTable(client, TABLE)),
  ...changes,
  ...quietly(changes),
});

const othersOver = (client: DynamoDBDocumentClient, marks: ReturnType<typeof createConnectionMarkStore>) => ({
  refreshes: createRefreshStore(createTable(client, TABLE), marks),
  circuits: createCircuitStore(createTable(client, CIRCUITS)),
  keys: createKeyStore(createTable(client, TABLE)),
  claims: createRecordsClaimStore(createTable(client, TABLE)),
  connected: createConnectedStore(createTable(client, TABLE)),
  usedStates: createOAuthStateStore(createTable(client, TABLE)),
  webhookSecrets: createWebhookSecretsStore(createTable(client, TABLE)),
});
export type Stores = ReturnType<typeof storesOver>;

/** The tables of connections and circuits in a database of the file's own, and all stores over them. */
export const useConnections = () => {
  const database = useDatabase("connections", "circuits");
  const connections = database.table("connections");
  return {
    ...database,
    stores: storesOver(database.client),
    /** The stores over another endpoint of the engine. */
    storesAt: (endpoint: string): Stores => storesOver(database.clientAt(endpoint)),
    /** Likewise with a limit of organizations of one account. */
    limitedAt: (endpoint: string, organizations: number): Stores =>
      storesOver(database.clientAt(endpoint), undefined, organizations),
    item: (id: string) => getItem(connections, { id }),
  };
};
export type ConnectionTable = ReturnType<typeof useConnections>;

const bytes = (text: string) => new TextEncoder().encode(text);
export const textOf = (sealed: Uint8Array | undefined) => sealed && new TextDecoder().decode(sealed);

/** A connection whose name is in every field, so that a mixture of two is visible. */
export const connectionNamed = (name: string, changes: Partial<NewConnection> = {}): NewConnection => ({
  connectionId: `id ${name}`,
  method: "api_key",
  accountId: "acct_1",
  connectedAt: 1,
  credentials: bytes(`credentials ${name}`),
  credentialsVersion: `version ${name}`,
  ...changes,
});

export const sealedText = bytes;

/** A recorded change, for tests that do not look at it. */
const changeOf = ({ connectionId, accountId, method, connectedAt }: NewConnection): ConnectionChange => ({
  eventType: "PROVIDER_CONNECTION_ESTABLISHED",
  connectionId,
  accountId,
  method,
  at: connectedAt,
  durationMs: 1,
  source: "user",
  userId: "ada",
});

const by: { at: number; source: "user"; userId: string } = { at: 2, source: "user", userId: "bob" };

/** The change that the provider's rejection of a connection's credentials makes. */
const rejectionOf = (
  {
    connectionId,
    credentialsVersion,
    accountId,
  }: Pick<ConnectedItem, "connectionId" | "credentialsVersion"> & { accountId?: string },
  at: number,
): ConnectionChange => ({
  eventType: "AUTHENTICATION_FAILURE",
  connectionId,
  version: credentialsVersion,
  accountId: accountId ?? "acct_1",
  method: "api_key",
  at,
  source: "system",
  reason: "api_key_refused",
});

/** Changes of connections whose events are not recorded. */
const quietly = (changes: ConnectionChangeStore) => {
  const forget = async (organizationId: string, unrecorded: readonly ConnectionChange[]) => {
    for (const change of unrecorded) await changes.forgetChange(organizationId, change);
  };
  return {
    connectQuietly: async (organizationId: string, connection: NewConnection) =>
      forget(organizationId, (await changes.connect(organizationId, connection, changeOf(connection))).unrecorded),
    disconnectQuietly: async (organizationId: string, connectionId?: string, at = by.at) => {
      const { outcome, unrecorded } = await changes.disconnect(organizationId, { ...by, at }, connectionId);
      await forget(organizationId, unrecorded);
      return outcome;
    },
    requireReconnectQuietly: async (
      organizationId: string,
      failed: Pick<ConnectedItem, "connectionId" | "credentialsVersion">,
      at = 3,
    ) => {
      const unrecorded = await changes.requireReconnect(organizationId, failed, rejectionOf(failed, at));
      await forget(organizationId, unrecorded);
      return unrecorded.length > 0;
    },
  };
};

export const listed = async ({ connected }: Pick<Stores, "connected">): Promise<string[]> => {
  const found: string[] = [];
  for await (const organizationId of connected.connectedOrganizations()) found.push(organizationId);
  return found.sort();
};
