import { createHash } from "node:crypto";
import type { ConnectionSecrets } from "../connection/connection-secrets.ts";
import type { Clock } from "../runtime/clock.ts";

const KEPT_MS = 300_000;
const MAX_KEPT = 500;

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/**
 * The secrets that webhooks are signed with, for one instance of a function. What was opened is remembered for five
 * minutes under what it was opened from: whoever changes the secrets changes that, and nobody asks for the old ones.
 */
export const createWebhookSecrets = (sealed: Pick<ConnectionSecrets, "openWebhookSecrets">, now: Clock) => {
  const kept = new Map<string, { secrets: readonly string[]; until: number }>();

  return {
    /**
     * @param ciphertext as it stands in the organization's connection.
     * @throws DomainError `store_unavailable` where KMS does not answer; EnvelopeError where it does not open.
     */
    async open(organizationId: string, ciphertext: Uint8Array): Promise<readonly string[]> {
      // The organization is part of the name: what was sealed for one opens for no other, remembered or not.
      const name = `${createHash("sha256").update(ciphertext).digest("base64")} ${organizationId}`;
      const known = kept.get(name);
      if (known !== undefined && now() < known.until) return known.secrets;
      kept.delete(name);
      const secrets = await sealed.openWebhookSecrets(organizationId, ciphertext);
      // The first is the one that was opened longest ago.
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? "");
      kept.set(name, { secrets, until: now() + KEPT_MS });
      return secrets;
    },
  };
};
