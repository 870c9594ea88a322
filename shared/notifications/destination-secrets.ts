/** The secrets of destinations, sealed for one organization and the purpose `notification`. docs/notifications.md, "Secrets". */
import { randomBytes as systemRandomBytes } from "node:crypto";
import * as z from "zod/mini";
import type { Envelope } from "../runtime/envelope.ts";
import { organizationKey } from "../terms/keys.ts";
import { OLD_SECRET_VALID_MS } from "./destination.ts";

/** A secret that signs. A replaced one signs until `validUntil` (epoch ms). */
const SigningSecret = z.object({ secret: z.string(), validUntil: z.optional(z.number()) });
type SigningSecret = z.output<typeof SigningSecret>;

/**
 * What is sealed, by type. The keys of e-mail are those of the links in mails (email-link.ts); addresses that an earlier
 * version stored have no `notMeKey`.
 */
const DestinationSecrets = z.discriminatedUnion("type", [
  z.object({ type: z.literal("webhook"), url: z.string(), secrets: z.array(SigningSecret) }),
  z.object({ type: z.literal("slack"), url: z.string() }),
  z.object({ type: z.literal("teams"), url: z.string() }),
  z.object({
    type: z.literal("email"),
    confirmKey: z.string(),
    unsubscribeKey: z.string(),
    notMeKey: z.optional(z.string()),
  }),
]);
export type DestinationSecrets = z.output<typeof DestinationSecrets>;

/** Standard Webhooks: 24 to 64 bytes. https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme */
const SECRET_BYTES = 32;

/** A new secret: `whsec_` and the key in base64, as Standard Webhooks writes it. @param randomBytes for tests. */
export const newSigningSecret = (randomBytes: (size: number) => Uint8Array = systemRandomBytes): string =>
  `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString("base64")}`;

/** A repeated request to roll must not stop the secret that receivers have: this many replaced ones sign as well. */
const MAX_REPLACED = 3;

/**
 * The secrets after one was rolled: the new one first, then those that it replaces, which sign for another day. Pure.
 * @param now epoch ms.
 */
export const rollSecrets = (before: readonly SigningSecret[], secret: string, now: number): SigningSecret[] => {
  const replaced = before
    .map((one) => ({ secret: one.secret, validUntil: one.validUntil ?? now + OLD_SECRET_VALID_MS }))
    .filter(({ validUntil }) => now < validUntil);
  return [{ secret }, ...replaced.slice(-MAX_REPLACED)];
};

/** The secrets that sign now, the current one first. @param now epoch ms. */
export const signingSecrets = (secrets: readonly SigningSecret[], now: number): string[] =>
  secrets.filter(({ validUntil }) => validUntil === undefined || now < validUntil).map(({ secret }) => secret);

export type DestinationSecretsStore = ReturnType<typeof createDestinationSecrets>;

/** Both throw DomainError `store_unavailable` if KMS does not answer. */
export const createDestinationSecrets = (envelope: Envelope) => {
  const contextOf = (organizationId: string) => ({
    organization: organizationKey(organizationId),
    purpose: "notification",
  });
  return {
    seal: (organizationId: string, secrets: DestinationSecrets): Promise<Uint8Array> =>
      envelope.seal(contextOf(organizationId), JSON.stringify(secrets)),

    open: async (organizationId: string, sealed: Uint8Array): Promise<DestinationSecrets> =>
      DestinationSecrets.parse(JSON.parse(await envelope.open(contextOf(organizationId), sealed))),
  };
};
