/** A real engine with the connections' table of the template, and all stores over it. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
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
import { createOAuthStateStore } from "../../../shared/connection/oauth-state-store.ts";
import { createRefreshStore } from "../../../shared/connection/refresh-store.ts";
import { createWebhookSecretsStore } from "../../../shared/connection/webhook-secrets-store.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { declaredTable } from "../../support/security-tables.ts";

const TABLE = "connections";
const CIRCUITS = "circuits";

/** @param maxOrganizations of one account; by default enough for all tests of a file. */
export const storesOver = (
  client: DynamoDBDocumentClient,
  marks = createConnectionMarkStore(client, CIRCUITS),
  maxOrganizations = 1_000,
) => {
  const directory = createAccountDirectoryStore(client, TABLE, { maxOrganizations });
  const changes = createConnectionChangeStore(client, TABLE, marks, directory);
  return { ...othersOver(client, marks), directory, connections: connectionsOver(client, changes) };
};

const connectionsOver = (client: DynamoDBDocumentClient, changes: ConnectionChangeStore) => ({
  ...createConnectionStore(client, TABLE),
  ...changes,
  ...quietly(changes),
});

const othersOver = (client: DynamoDBDocumentClient, marks: ReturnType<typeof createConnectionMarkStore>) => ({
  refreshes: createRefreshStore(client, TABLE, marks),
  circuits: createCircuitStore(client, CIRCUITS),
  claims: createRecordsClaimStore(client, TABLE),
  connected: createConnectedStore(client, TABLE),
  usedStates: createOAuthStateStore(client, TABLE),
  webhookSecrets: createWebhookSecretsStore(client, TABLE),
});
export type Stores = ReturnType<typeof storesOver>;

export type ConnectionTable = EmbeddedDynamoDb & {
  stores(): Stores;
  item(id: string): Promise<Record<string, unknown> | undefined>;
};

export const startConnectionTable = async (): Promise<ConnectionTable> => {
  const database = await startEmbeddedDynamoDb(
    declaredTable("TablesConnections", TABLE),
    declaredTable("TablesCircuits", CIRCUITS),
  );
  const client = database.documentClient(documentTranslation);
  return {
    ...database,
    stores: () => storesOver(database.documentClient(documentTranslation)),
    item: async (id) =>
      (await client.send(new GetCommand({ TableName: TABLE, Key: { id }, ConsistentRead: true }))).Item,
  };
};

/** The stores over another endpoint of the engine. */
export const storesAt = (endpoint: string): Stores =>
  storesOver(
    DynamoDBDocumentClient.from(
      new DynamoDBClient({
        endpoint,
        region: "eu-central-1",
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
        maxAttempts: 3,
      }),
      documentTranslation,
    ),
  );

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
const changeOf = ({ connectionId, accountId, method }: NewConnection): ConnectionChange => ({
  ...{ eventType: "PROVIDER_CONNECTION_ESTABLISHED", connectionId, accountId, method },
  ...{ at: 1, durationMs: 1, source: "user", userId: "ada" },
});

const by = { at: 2, source: "user", userId: "bob" } as const;

/** The change that the provider's rejection of a connection's credentials makes. */
const rejectionOf = ({
  connectionId,
  credentialsVersion,
  accountId,
}: Pick<ConnectedItem, "connectionId" | "credentialsVersion"> & { accountId?: string }): ConnectionChange => ({
  ...{
    eventType: "AUTHENTICATION_FAILURE",
    connectionId,
    version: credentialsVersion,
    accountId: accountId ?? "acct_1",
  },
  ...{ method: "api_key", at: 3, source: "system", reason: "api_key_refused" },
});

/** Changes of connections whose events are not recorded. */
const quietly = (changes: ConnectionChangeStore) => {
  const forget = async (organizationId: string, unrecorded: readonly ConnectionChange[]) => {
    for (const change of unrecorded) await changes.forgetChange(organizationId, change);
  };
  return {
    connectQuietly: async (organizationId: string, connection: NewConnection) =>
      forget(organizationId, (await changes.connect(organizationId, connection, changeOf(connection))).unrecorded),
    disconnectQuietly: async (organizationId: string, connectionId?: string) => {
      const { outcome, unrecorded } = await changes.disconnect(organizationId, by, connectionId);
      await forget(organizationId, unrecorded);
      return outcome;
    },
    requireReconnectQuietly: async (
      organizationId: string,
      failed: Pick<ConnectedItem, "connectionId" | "credentialsVersion">,
    ) => {
      const unrecorded = await changes.requireReconnect(organizationId, failed, rejectionOf(failed));
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
