/**
 * The stored connection: one item per organization, without expiry.
 *
 * - `id`: the organization's key; `status`.
 * - `connectionId`: new at every connect; `method`, `accountId`, `connectedAt`.
 * - `connectedSince`: since when the organization is connected without a break, if that is not `connectedAt`.
 *   `connectedBefore`: the last spans that have ended; they outlive the connection (connected-spans.ts).
 * - `credentials`: sealed (connection-secrets.ts); `credentialsVersion`: new at every change of them; `tokenExpiresAt`.
 * - `key`: what the credentials are, as their form tells (key.ts). Connections of earlier versions have none until the
 *   next piece of work opens them. `keyAlerts`: the alerts that were raised about the key; it may outlive the connection.
 * - `acceptedAt`: when the provider last accepted the API key, with a lag of up to an hour. Connections of earlier
 *   versions have none until the next accepted call.
 * - `webhookSecrets`: sealed, with those that were replaced within the last day (webhook-secrets.ts).
 * - `refreshOwner`, `refreshUntil`: the lease of the instance that refreshes the tokens.
 * - `webhookEndpointId`: the endpoint at the provider that `registerWebhook` created. `endpointCheck`: what it lacked when
 *   it was last looked at (endpoint-check.ts).
 * - `holdsRecordsOf`: the account whose records are stored; `claimedBy`: the connection that claimed so last.
 * - `connectedShard`: partition of the index, present only while connected.
 * - `entryOf`: the account whose item has this organization's entry (account-directory-store.ts), unless another one
 *   displaced the entry. Connections of earlier versions have none. A disconnect by an earlier version leaves it.
 * - `change`: the last change of `status` or `webhookSecrets`, until its security event is recorded.
 * - `token`: identifies the write that made the last other change.
 *
 * Other items of the table: `#connected` counts the connected organizations (`n`); `state#…` is a used OAuth state
 * (oauth-state-store.ts); `account#…` has the organizations that have connected an account (account-directory-store.ts).
 */
import * as z from "zod/mini";
import { sources } from "../security/security-event.ts";
import { organizationKey, shardOf } from "../terms/keys.ts";
import { connectionMethods } from "./connection-method.ts";
import { EndpointCheck } from "./endpoint-check.ts";
import { KeyAlerts, StoredKey } from "./key.ts";

/** Not the key of any organization. */
export const CONNECTED_COUNT_KEY = "#connected";

const CONNECTED_SHARDS = 16;

const shardName = (shard: number): string => `connected#${shard}`;

export const connectedShards: readonly string[] = Array.from({ length: CONNECTED_SHARDS }, (_, i) => shardName(i));

/** The index partition of the organization while it is connected. */
export const connectedShardOf = (organizationId: string): string =>
  shardName(shardOf(organizationKey(organizationId), CONNECTED_SHARDS));

const text = z.optional(z.string());

/** Why a connection must be made again. */
export const reconnectReasons = [
  /** The provider rejects the refresh token. */
  "invalid_grant",
  /** The provider rejects an access token right after its exchange. */
  "token_refused",
  /** The provider rejects the API key, and a read of the account confirmed it. */
  "api_key_refused",
] as const;
export type ReconnectReason = (typeof reconnectReasons)[number];

/**
 * A connect, a disconnect, credentials that the provider rejects (AUTHENTICATION_FAILURE), or a change of the webhook
 * secrets. The write that makes it also stores it, until its security event is recorded.
 */
export const ConnectionChange = z.object({
  eventType: z.enum([
    "PROVIDER_CONNECTION_ESTABLISHED",
    "PROVIDER_CONNECTION_REMOVED",
    "AUTHENTICATION_FAILURE",
    "WEBHOOK_SECRETS_CHANGED",
  ]),
  connectionId: z.string(),
  /** Tells changes of one connection apart: the version of the rejected credentials, or one of the new secrets. */
  version: text,
  accountId: z.string(),
  method: z.enum(connectionMethods),
  /** Epoch ms. */
  at: z.number(),
  /** Time that the verification took, of a connect. */
  durationMs: z.optional(z.number()),
  source: z.enum(sources),
  userId: text,
  sessionId: text,
  ipAddress: text,
  userAgent: text,
  requestId: text,
  /** The number of webhook secrets after a change, and of those that it replaced. */
  secrets: z.optional(z.object({ current: z.number(), replaced: z.number() })),
  /** The run whose request was rejected. */
  runId: text,
  /** The cause if no user requested the change. */
  reason: z.optional(z.enum(["deauthorized", ...reconnectReasons])),
});
export type ConnectionChange = z.output<typeof ConnectionChange>;

const binary = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const EndedSpan = z.object({ since: z.number(), until: z.number() });
/** A span in which the organization was connected. Epoch ms. */
export type EndedSpan = z.output<typeof EndedSpan>;

/** Fields in every status. */
const always = {
  holdsRecordsOf: z.optional(z.string()),
  claimedBy: z.optional(z.string()),
  entryOf: z.optional(z.string()),
  change: z.optional(ConnectionChange),
  keyAlerts: z.optional(KeyAlerts),
  connectedBefore: z.optional(z.array(EndedSpan)),
};

const account = {
  ...always,
  connectionId: z.string(),
  method: z.enum(connectionMethods),
  accountId: z.string(),
  /** Epoch ms. */
  connectedAt: z.number(),
  webhookSecrets: z.optional(binary),
  webhookEndpointId: z.optional(z.string()),
  endpointCheck: z.optional(EndpointCheck),
  key: z.optional(StoredKey),
};

const Connected = z.object({
  status: z.literal("connected"),
  ...account,
  credentials: binary,
  credentialsVersion: z.string(),
  /** Epoch ms. */
  connectedSince: z.optional(z.number()),
  /** Epoch ms; OAuth only. */
  tokenExpiresAt: z.optional(z.number()),
  /** Epoch ms; API keys only. */
  acceptedAt: z.optional(z.number()),
  /** Epoch ms: end of the refresh lease. */
  refreshUntil: z.optional(z.number()),
});
export type ConnectedItem = z.output<typeof Connected>;

const NeedsReconnect = z.object({ status: z.literal("needs_reconnect"), ...account, credentialsVersion: z.string() });

/** A connection to an account, whether or not its credentials are valid. */
export type AccountConnection = ConnectedItem | z.output<typeof NeedsReconnect>;

const StoredConnection = z.discriminatedUnion("status", [
  Connected,
  NeedsReconnect,
  z.object({ status: z.literal("disconnected"), ...always }),
]);
export type StoredConnection = z.output<typeof StoredConnection>;

/** @throws ZodError if the stored item is not a connection, which is a fault of the product. */
export const parseConnection = (item: unknown): StoredConnection =>
  item === undefined ? { status: "disconnected" } : StoredConnection.parse(item);
