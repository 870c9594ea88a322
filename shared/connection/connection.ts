/**
 * The connection of an organization to its account at the provider, as clients see it.
 * Decisions: docs/connection.md.
 */
import * as z from "zod/mini";

export const connectionStatuses = ["connected", "disconnected", "needs_reconnect"] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

export const connectionMethods = ["api_key", "oauth"] as const;
export type ConnectionMethod = (typeof connectionMethods)[number];

const time = (description: string) =>
  z
    .number()
    .register(z.globalRegistry, { description: `Epoch milliseconds: ${description}`, override: { type: "integer" } });

export const Connection = z
  .object({
    status: z.enum(connectionStatuses),
    method: z.optional(z.enum(connectionMethods)),
    accountId: z.optional(z.string()),
    connectedAt: z.optional(time("when the account was connected.")),
    tokenExpiresAt: z.optional(time("until when the access token is good; it is refreshed before.")),
    webhookUrl: z.optional(z.string()).register(z.globalRegistry, {
      description: "Where the provider's webhooks of this organization go.",
    }),
    lastSyncAt: z.optional(time("when the last run that succeeded ended.")),
    readsThisMonth: z.optional(z.number()).register(z.globalRegistry, {
      description: "Requests that read from the provider this month (UTC), which rations them.",
      override: { type: "integer" },
    }),
  })
  .register(z.globalRegistry, { id: "Connection", description: "An organization's connection to the provider." });
export type Connection = z.output<typeof Connection>;
