/**
 * What is stored of connections. One item per organization, without expiry:
 *
 * `id` the organization's key · `status` · `connectionId` new at every connect · `method`, `accountId`, `connectedAt` ·
 * `credentials` sealed (connection-secrets.ts) and `credentialsVersion`, new whenever they change · `tokenExpiresAt` (OAuth) ·
 * `webhookSecrets` sealed · `refreshOwner`, `refreshUntil` the lease of who refreshes the tokens · `holdsRecordsOf` the
 * account whose records are stored, and `claimedBy` the connection that said so last · `connectedShard` partition of the
 * index, only while connected · `change` the last connect or disconnect, until its event was recorded · `token` of the
 * write that made the last other change.
 *
 * `#connected` counts the connected organizations (`n`); `state#…` marks a used OAuth state (used-state-store.ts).
 */
import * as z from "zod/mini";
import { organizationKey } from "../terms/keys.ts";
import { shardOf } from "../terms/shard-of.ts";
import { connectionMethods } from "./connection.ts";
import { ConnectionChange } from "./connection-changed.ts";

/** No organization's item has this key. */
export const CONNECTED_COUNT_KEY = "#connected";

const CONNECTED_SHARDS = 16;

const shardName = (shard: number): string => `connected#${shard}`;

export const connectedShards: readonly string[] = Array.from({ length: CONNECTED_SHARDS }, (_, i) => shardName(i));

/** The partition of the index that lists the organization while it is connected. */
export const connectedShardOf = (organizationId: string): string =>
  shardName(shardOf(organizationKey(organizationId), CONNECTED_SHARDS));

const binary = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** What there is whatever the status. */
const always = {
  holdsRecordsOf: z.optional(z.string()),
  claimedBy: z.optional(z.string()),
  change: z.optional(ConnectionChange),
};

const account = {
  ...always,
  connectionId: z.string(),
  method: z.enum(connectionMethods),
  accountId: z.string(),
  /** Epoch ms. */
  connectedAt: z.number(),
  webhookSecrets: z.optional(binary),
};

/** A connection with credentials that the provider takes, as far as is known. */
const Connected = z.object({
  status: z.literal("connected"),
  ...account,
  credentials: binary,
  credentialsVersion: z.string(),
  /** Epoch ms; only of OAuth. */
  tokenExpiresAt: z.optional(z.number()),
  /** Epoch ms: somebody refreshes the tokens. */
  refreshUntil: z.optional(z.number()),
});
export type ConnectedItem = z.output<typeof Connected>;

const StoredConnection = z.discriminatedUnion("status", [
  Connected,
  z.object({ status: z.literal("needs_reconnect"), ...account, credentialsVersion: z.string() }),
  z.object({ status: z.literal("disconnected"), ...always }),
]);
export type StoredConnection = z.output<typeof StoredConnection>;

/** @throws ZodError where what is stored is no connection: a bug of ours. */
export const parseConnection = (item: unknown): StoredConnection =>
  item === undefined ? { status: "disconnected" } : StoredConnection.parse(item);
