/** The secrets of connections, each sealed for one organization and one purpose. */
import * as z from "zod/mini";
import type { Credentials } from "../provider/provider.ts";
import type { Envelope } from "../runtime/envelope.ts";
import { organizationKey } from "../terms/keys.ts";

/** The credentials of an account. */
const Secret = z.discriminatedUnion("method", [
  z.object({ method: z.literal("api_key"), apiKey: z.string() }),
  z.object({ method: z.literal("oauth"), accessToken: z.string(), refreshToken: z.string() }),
]);
export type Secret = z.output<typeof Secret>;

/** The bearer token of requests to the provider. */
export const bearerOf = (secret: Secret): string => (secret.method === "api_key" ? secret.apiKey : secret.accessToken);

/** Credentials without a refresh: a connect or a disconnect replaces nothing. */
export const fixedCredentials = (secret: string): Credentials => ({
  current: async () => secret,
  refused: async () => undefined,
});

/** A secret that the provider signs webhooks with. A replaced one is valid until `validUntil` (epoch ms). */
export type WebhookSecret = { secret: string; validUntil?: number };

/** A current secret is stored as its text, a replaced one with its end. */
const WebhookSecrets = z.array(z.union([z.string(), z.object({ secret: z.string(), validUntil: z.number() })]));

export type ConnectionSecrets = ReturnType<typeof createConnectionSecrets>;

/** All calls throw DomainError `store_unavailable` if KMS does not answer. */
export const createConnectionSecrets = (envelope: Envelope) => {
  const credentials = (organizationId: string) => ({
    organization: organizationKey(organizationId),
    purpose: "provider-credentials",
  });
  const webhooks = (organizationId: string) => ({
    organization: organizationKey(organizationId),
    purpose: "webhook-secrets",
  });
  return {
    sealCredentials: (organizationId: string, secret: Secret): Promise<Uint8Array> =>
      envelope.seal(credentials(organizationId), JSON.stringify(secret)),

    openCredentials: async (organizationId: string, sealed: Uint8Array): Promise<Secret> =>
      Secret.parse(JSON.parse(await envelope.open(credentials(organizationId), sealed))),

    sealWebhookSecrets: (organizationId: string, secrets: readonly WebhookSecret[]): Promise<Uint8Array> => {
      const stored = secrets.map((one) => (one.validUntil === undefined ? one.secret : one));
      return envelope.seal(webhooks(organizationId), JSON.stringify(stored));
    },

    openWebhookSecrets: async (organizationId: string, sealed: Uint8Array): Promise<WebhookSecret[]> => {
      const stored = WebhookSecrets.parse(JSON.parse(await envelope.open(webhooks(organizationId), sealed)));
      return stored.map((one) => (typeof one === "string" ? { secret: one } : one));
    },
  };
};
