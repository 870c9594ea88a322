/** The secrets of destinations, sealed for one organization and the purpose `notification`. docs/notifications.md, "Secrets". */
import { randomBytes as systemRandomBytes } from "node:crypto";
import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
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

/**
 * Each replaced secret signs for a day, so a repeated request to roll never stops the secret that receivers have. More rolls
 * in a day are refused, because each adds a signature to every delivery.
 */
const MAX_ROLLS_PER_DAY = 4;

/**
 * The secrets after one was rolled: the new one first, then those that it replaces, the newest first. Pure.
 * @param now epoch ms. @throws DomainError `too_many_rolls`.
 */
export const rollSecrets = (before: readonly SigningSecret[], secret: string, now: number): SigningSecret[] => {
  const replaced = before
    .map((one) => ({ secret: one.secret, validUntil: one.validUntil ?? now + OLD_SECRET_VALID_MS }))
    .filter(({ validUntil }) => now < validUntil);
  const oldest = replaced[MAX_ROLLS_PER_DAY];
  if (oldest !== undefined) {
    const from = new Date(Math.ceil(oldest.validUntil / 1_000) * 1_000).toISOString().replace(".000", "");
    throw new DomainError(
      "too_many_rolls",
      `The secret was rolled four times in 24 hours, and the replaced ones still sign. Roll it again from ${from} on.`,
    );
  }
  return [{ secret }, ...replaced];
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
