/**
 * The connection of an organization to its account at the provider, as clients see it. Read this file first, then
 * connection-item.ts (the stored form), connect.ts and open-connection.ts. The page: docs/connection.md.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { epochMs, integer } from "../json/number-fields.ts";
import type { ProviderSetup } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { toWebhookSegment, type WebhookEntrance } from "../terms/webhook-path.ts";
import { connectionMethods, TOKEN_LIFE_MS } from "./connection-method.ts";
import type { EndpointCheck } from "./endpoint-check.ts";
import { Key, type StoredKey, viewKey } from "./key.ts";
import { isEntitled } from "./platform-events.ts";

export const connectionStatuses = ["connected", "disconnected", "needs_reconnect"] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

const WebhookSetup = z
  .object({
    url: z.optional(z.string()),
    eventTypes: z.array(z.string()),
    keyPermissions: z.array(
      z.object({
        resource: z.string(),
        access: z.enum(["read", "write"]),
        name: z.string(),
        requiredFor: z.enum(["sync", "webhook_registration"]),
      }),
    ),
    endpointId: z.optional(z.string()),
  })
  .register(z.globalRegistry, {
    id: "WebhookSetup",
    description:
      "What to set up at the provider for an API key: the webhook endpoint's `url` and event types, and the permissions of a restricted key. `endpointId`: the endpoint that `registerWebhook` created. Absent for OAuth.",
  });

const Missing = z
  .object({ permissions: z.array(z.string()), eventTypes: z.array(z.string()) })
  .register(z.globalRegistry, {
    id: "MissingAtProvider",
    description:
      "What the connection lacks at the provider. `permissions`: those to read types of records that the last runs left out, by their `name` in `webhookSetup.keyPermissions`. `eventTypes`: those that the endpoint of `registerWebhook` does not send, as of the last look at it, once a day; all if it is disabled or gone. Absent unless connected.",
  });

const ProviderFacts = z
  .object({
    name: z.string(),
    apiKeysUrl: z.string().register(z.globalRegistry, { description: "Its page for API keys." }),
    webhooksUrl: z.string().register(z.globalRegistry, { description: "Its page for webhook endpoints." }),
  })
  .register(z.globalRegistry, { id: "ProviderFacts", description: "The provider, and its pages for administrators." });

const AccountActivity = z
  .object({
    state: z.enum(["on", "off", "not_available"]),
    reason: z.optional(z.string()),
    readUntil: z.optional(epochMs("the last complete read.")),
  })
  .register(z.globalRegistry, {
    id: "AccountActivityState",
    description:
      "Whether the account's activity at the provider is read: `off` by the settings, `not_available` if the provider does not show it to these credentials, with its reason. Only while connected.",
  });

export const Connection = z
  .object({
    status: z.enum(connectionStatuses),
    method: z.optional(z.enum(connectionMethods)),
    accountId: z.optional(z.string()),
    connectedAt: z.optional(epochMs("when the account was connected.")),
    tokenExpiresAt: z.optional(epochMs("when the access token expires; it is refreshed before.")),
    platformEvents: z.optional(z.boolean()).register(z.globalRegistry, {
      description:
        "Whether the account's events at the platform's own webhook endpoint reach this connection; absent unless connected. False for an API key that the provider has not accepted for 24 hours, and if 25 other organizations get the account's events: a sync run brings the changes later.",
    }),
    key: z.optional(Key),
    accountActivity: z.optional(AccountActivity),
    webhookUrl: z.optional(z.string()).register(z.globalRegistry, {
      description: "The URL to which the provider must send the webhooks of this organization.",
    }),
    webhookSetup: z.optional(WebhookSetup),
    missing: z.optional(Missing),
    provider: ProviderFacts,
    lastSyncAt: z.optional(epochMs("when the last successful run ended.")),
    nextSyncAt: z.optional(
      epochMs(
        "when the schedule is due next; absent while not connected. Before the schedule has run for the first time, the latest time at which it is due. Past for at most ten minutes if the schedule is late.",
      ),
    ),
    syncIntervalHours: integer("The hours between two scheduled syncs."),
    readsThisMonth: z.optional(
      integer("Requests that read from the provider this month (UTC); the provider limits them."),
    ),
  })
  .register(z.globalRegistry, { id: "Connection", description: "An organization's connection to the provider." });
export type Connection = z.output<typeof Connection>;

/** The fields of a stored connection that clients see. */
type VisibleFields = { status: ConnectionStatus } & Partial<
  Pick<Connection, "method" | "accountId" | "connectedAt" | "tokenExpiresAt"> & {
    webhookEndpointId: string | undefined;
    endpointCheck: EndpointCheck | undefined;
    acceptedAt: number | undefined;
    key: StoredKey | undefined;
    entryOf: string | undefined;
  }
>;

/** Reads a field of the view; it may answer a failure with undefined, and the view then lacks the field. */
type ReadField = <Value>(read: Promise<Value>) => Promise<Value | undefined>;

export type ViewConnection = (
  organizationId: string,
  stored: VisibleFields,
  readField?: ReadField,
) => Promise<Connection>;

type ViewDependencies = {
  /** When the organization's last successful run ended, and the types that it left out with the times of their last tries. */
  syncState(organizationId: string): Promise<{
    lastSuccessAt?: number | undefined;
    refusedTypes?: Readonly<Partial<Record<string, number>>> | undefined;
  }>;
  /** When the next scheduled runs are due. @param connectedAt since when the organization has a connection. Both in epoch ms. */
  nextSync(connectedAt: number | undefined): Promise<number | undefined>;
  readsThisMonth(organizationId: string): Promise<number>;
  /** How far the account's activity is read. */
  accountActivity(organizationId: string, accountId: string): Promise<z.output<typeof AccountActivity>>;
  /** The organization's webhook URL; undefined if the deployment has none. */
  webhookUrlOf(organizationId: string): string | undefined;
  setup: ProviderSetup;
  syncIntervalHours: number;
  now: Clock;
};

/** @param base without a slash at the end. */
export const createWebhookUrl =
  (base: string | undefined, entrance: WebhookEntrance) =>
  (organizationId: string): string | undefined =>
    base && `${base}/${toWebhookSegment(organizationId, entrance)}`;

/** Makes what clients see of a stored connection. @throws what the reads throw, unless `readField` handles it. */
export const createViewConnection =
  ({
    syncState,
    nextSync,
    readsThisMonth,
    accountActivity,
    webhookUrlOf,
    setup,
    syncIntervalHours,
    now,
  }: ViewDependencies): ViewConnection =>
  async (organizationId, stored, readField = (read) => read) => {
    const { status, method, accountId, connectedAt, tokenExpiresAt, acceptedAt, webhookEndpointId, entryOf, key } =
      stored;
    const { of: checkedId, missing: missingEvents = [] } = stored.endpointCheck ?? {};
    const isConnected = status === "connected" && method !== undefined;
    const platformEvents = isConnected ? entryOf !== undefined && isEntitled({ method, acceptedAt }, now()) : undefined;
    // Tokens are exchanged for new ones while they are used: the exchange is what the provider accepted last.
    const exchangedAt = tokenExpiresAt === undefined ? undefined : tokenExpiresAt - TOKEN_LIFE_MS;
    const webhookUrl = webhookUrlOf(organizationId);
    const { eventTypes, keyPermissions, readPermissions, provider } = setup;
    const [{ lastSuccessAt: lastSyncAt, refusedTypes = {} } = {}, nextSyncAt, reads = 0, activity] = await Promise.all([
      readField(syncState(organizationId)),
      status === "connected" ? readField(nextSync(connectedAt)) : undefined,
      readField(readsThisMonth(organizationId)),
      isConnected && accountId !== undefined ? readField(accountActivity(organizationId, accountId)) : undefined,
    ]);
    // A try before the connect was made with other credentials.
    const refused = Object.entries(readPermissions).filter(
      ([type]) => (refusedTypes[type] ?? -1) >= (connectedAt ?? 0),
    );
    const missing = {
      permissions: [...new Set(refused.map(([, permission]) => permission))],
      eventTypes: checkedId !== undefined && checkedId === webhookEndpointId ? [...missingEvents] : [],
    };
    return {
      status,
      ...definedFields({
        method,
        accountId,
        connectedAt,
        tokenExpiresAt,
        platformEvents,
        accountActivity: activity,
        key: isConnected && key !== undefined ? viewKey(key, acceptedAt ?? exchangedAt, now()) : undefined,
        webhookUrl,
        lastSyncAt,
        nextSyncAt,
        missing: isConnected ? missing : undefined,
      }),
      provider,
      syncIntervalHours,
      // The events of accounts that are connected by OAuth arrive at the platform's own endpoint.
      ...(method !== "oauth" && {
        webhookSetup: {
          eventTypes: [...eventTypes],
          keyPermissions: [...keyPermissions],
          ...definedFields({ url: webhookUrl, endpointId: webhookEndpointId }),
        },
      }),
      ...(reads > 0 && { readsThisMonth: reads }),
    };
  };
