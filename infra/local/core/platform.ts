import * as z from "zod";

/**
 * The platform at the payment provider: its OAuth client, and the secret of its webhook endpoint. `clientId` is empty if
 * OAuth is not configured. A secret is undefined if it is not configured, or was removed. Secrets may change while the
 * local cloud runs. `webhookSecret`: one secret, or a JSON list while it is rolled.
 */
export type Platform = { clientId: string; secret: string | undefined; webhookSecret: string | undefined };

/** The default platform of the local cloud; only the simulator accepts its credentials. */
export const LOCAL_PLATFORM = {
  clientId: "ca_local_platform",
  secret: "sk_test_local_platform",
  webhookSecret: "whsec_local_platform",
} as const satisfies Platform;

/** The webhook secrets of a value: one text, or a JSON list. */
export const webhookSecretsOf = ({ webhookSecret }: Pick<Platform, "webhookSecret">): string[] => {
  if (webhookSecret === undefined) return [];
  return webhookSecret.startsWith("[") ? z.array(z.string()).parse(JSON.parse(webhookSecret)) : [webhookSecret];
};
