/**
 * The connection of an organization to its account at the provider, as clients see it. Read this file first, then
 * connection-item.ts (the stored form), connect.ts and open-connection.ts. The page: docs/connection.md.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { epochMs, integer } from "../json/number-fields.ts";
import { toWebhookSegment, type WebhookEntrance } from "../terms/webhook-path.ts";
import type { StoredConnection } from "./connection-item.ts";

export const connectionStatuses = ["connected", "disconnected", "needs_reconnect"] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

export const connectionMethods = ["api_key", "oauth"] as const;

export const Connection = z
  .object({
    status: z.enum(connectionStatuses),
    method: z.optional(z.enum(connectionMethods)),
    accountId: z.optional(z.string()),
    connectedAt: z.optional(epochMs("when the account was connected.")),
    tokenExpiresAt: z.optional(epochMs("when the access token expires; it is refreshed before.")),
    webhookUrl: z.optional(z.string()).register(z.globalRegistry, {
      description: "The URL to which the provider must send the webhooks of this organization.",
    }),
    lastSyncAt: z.optional(epochMs("when the last successful run ended.")),
    readsThisMonth: z.optional(
      integer("Requests that read from the provider this month (UTC); the provider limits them."),
    ),
  })
  .register(z.globalRegistry, { id: "Connection", description: "An organization's connection to the provider." });
export type Connection = z.output<typeof Connection>;

/** The fields of a stored connection that clients see. */
type VisibleFields = { status: StoredConnection["status"] } & Partial<
  Pick<Connection, "method" | "accountId" | "connectedAt" | "tokenExpiresAt">
>;

export type ViewConnection = (organizationId: string, stored: VisibleFields) => Promise<Connection>;

type ViewDependencies = {
  /** When the organization's last successful run ended, in epoch ms. */
  lastSuccess(organizationId: string): Promise<number | undefined>;
  readsThisMonth(organizationId: string): Promise<number>;
  /** Base of the webhook URL, without a slash at the end. */
  webhookUrl: string | undefined;
  webhookEntrance: WebhookEntrance;
};

/** Makes what clients see of a stored connection. @throws what the reads throw. */
export const createViewConnection =
  ({ lastSuccess, readsThisMonth, webhookUrl, webhookEntrance }: ViewDependencies): ViewConnection =>
  async (organizationId, { status, method, accountId, connectedAt, tokenExpiresAt }) => {
    const [lastSyncAt, reads] = await Promise.all([lastSuccess(organizationId), readsThisMonth(organizationId)]);
    return {
      status,
      ...definedFields({
        method,
        accountId,
        connectedAt,
        tokenExpiresAt,
        webhookUrl: webhookUrl && `${webhookUrl}/${toWebhookSegment(organizationId, webhookEntrance)}`,
        lastSyncAt,
      }),
      ...(reads > 0 && { readsThisMonth: reads }),
    };
  };
