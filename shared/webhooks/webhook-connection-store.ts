import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { ConnectionSecrets, WebhookSecret } from "../connection/connection-secrets.ts";
import { validSecrets } from "../connection/webhook-secrets.ts";
import type { Clock } from "../runtime/clock.ts";
import { getItem, type Table } from "../runtime/table.ts";
import { organizationKey } from "../terms/keys.ts";

/** The attributes of a connection that the webhook URL reads. Its role may not read the provider's credentials. */
const WEBHOOK_ATTRIBUTES = ["id", "connectionId", "accountId", "webhookSecrets"] as const;

/** Part of a connection's item (shared/connection/connection-item.ts). Disconnecting removes these attributes. */
const Item = z.object({
  connectionId: z.optional(z.string()),
  accountId: z.optional(z.string()),
  webhookSecrets: z.optional(z.instanceof(Uint8Array)),
});

/** What receiving a webhook needs of the organization's connection; `webhookSecrets` is sealed. */
export type WebhookConnection = { connectionId: string; accountId: string; webhookSecrets: Uint8Array };

export const createWebhookConnectionStore = (table: Table<"connections">) => ({
  /**
   * The connection that an organization's webhooks belong to, read strongly: one read unit up to 4 KB. A connection that
   * must be made again counts as well, because its account still sends events.
   * @returns undefined if there is no connection, or if it has no webhook secrets.
   * @throws DomainError `store_unavailable`.
   */
  async read(organizationId: string): Promise<WebhookConnection | undefined> {
    const item = await getItem(table, { id: organizationKey(organizationId) }, { attributes: WEBHOOK_ATTRIBUTES });
    const { connectionId, accountId, webhookSecrets } = Item.parse(item ?? {});
    if (connectionId === undefined || accountId === undefined || webhookSecrets === undefined) return undefined;
    return { connectionId, accountId, webhookSecrets };
  },
});

const CACHED_MS = 300_000;
const MAX_CACHED = 500;

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/**
 * Opens webhook secrets, with a cache for one instance of a function. Opened secrets are cached for five minutes under
 * their ciphertext, so a change of the secrets takes effect at once.
 */
export const createWebhookSecrets = (sealed: Pick<ConnectionSecrets, "openWebhookSecrets">, now: Clock) => {
  const cache = new Map<string, { secrets: readonly WebhookSecret[]; until: number }>();

  return {
    /**
     * The secrets that are valid now: a replaced one is valid for a day.
     * @param ciphertext from the organization's connection.
     * @throws DomainError `store_unavailable` if KMS does not answer; EnvelopeError if the ciphertext does not open.
     */
    async open(organizationId: string, ciphertext: Uint8Array): Promise<readonly string[]> {
      // The organization is part of the key: one organization's ciphertext must not open for another.
      const key = `${createHash("sha256").update(ciphertext).digest("base64")} ${organizationId}`;
      const cached = cache.get(key);
      if (cached !== undefined && now() < cached.until) return validSecrets(cached.secrets, now());
      cache.delete(key);
      const secrets = await sealed.openWebhookSecrets(organizationId, ciphertext);
      // The first entry is the oldest.
      if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? "");
      cache.set(key, { secrets, until: now() + CACHED_MS });
      return validSecrets(secrets, now());
    },
  };
};
