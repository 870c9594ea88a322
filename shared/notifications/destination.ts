/**
 * Destinations: where an organization's alerts and reports are sent. Reading order: this file has what the API accepts and
 * returns, destination-settings.ts what a destination gets and when, delivery.ts one delivery to a destination,
 * notification-items.ts what is stored. Pure. docs/notifications.md.
 */
import * as z from "zod/mini";
import { described } from "../json/described.ts";
import { epochMs } from "../json/number-fields.ts";
import { text } from "../json/text.ts";
import { oneOf } from "../json/unique-list.ts";
import {
  DestinationFilter,
  Digest,
  Escalation,
  QuietHours,
  reportRhythms,
  reports,
  StoredEscalation,
} from "./destination-settings.ts";
import { mailFailures } from "./mail-feedback.ts";

export const destinationTypes = ["webhook", "email", "slack", "teams"] as const;
export type DestinationType = (typeof destinationTypes)[number];

const destinationStatuses = ["active", "unconfirmed", "paused"] as const;

/** Why a destination is paused. */
const pauseReasons = ["failing", "gone", "user", "unsubscribed"] as const;

/** An organization has at most this many destinations. */
export const MAX_DESTINATIONS = 20;
/** A replaced secret of a webhook signs as well for this time. */
export const OLD_SECRET_VALID_MS = 24 * 3_600_000;
/** The link that confirms an e-mail address ends after this time. */
export const CONFIRMATION_LIFE_MS = 48 * 3_600_000;

const MAX_NAME_CHARACTERS = 100;
/** Of a destination's URL. */
export const MAX_URL_CHARACTERS = 2_048;

const ADDRESS_EXPECTED = "expected an e-mail address of ASCII characters, such as security@example.com";
/**
 * The addresses that SES takes: ASCII, without quoted names.
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_Destination.html
 */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-](?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{0,62}[A-Za-z0-9!#$%&'*+/=?^_`{|}~-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,4}[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;

const address = z.string({ error: ADDRESS_EXPECTED }).check(z.regex(ADDRESS, { error: ADDRESS_EXPECTED }));

const URL_EXPECTED = `expected an https URL of at most ${MAX_URL_CHARACTERS} visible ASCII characters`;
/** The form only: which hosts and ports are allowed is decided apart, because a local run allows more. */
const url = (description: string) =>
  z
    .string({ error: URL_EXPECTED })
    .check(
      z.regex(/^https?:\/\/[!-~]+$/, { error: URL_EXPECTED }),
      z.maxLength(MAX_URL_CHARACTERS, { error: URL_EXPECTED }),
    )
    .register(z.globalRegistry, { description });

const common = {
  name: text(1, MAX_NAME_CHARACTERS, "How users call the destination."),
  filter: z._default(DestinationFilter, {}),
  quietHours: z.optional(QuietHours),
  digest: z.optional(Digest),
  escalate: z.optional(Escalation),
};

const WEBHOOK_URL = "Receives POST requests as Standard Webhooks define them. https only, in the public internet.";
const CHAT_URL = "The URL of the incoming webhook. It is a secret: it is stored encrypted and never returned.";

export const DestinationRequest = z
  .discriminatedUnion(
    "type",
    [
      z
        .object({ type: z.literal("webhook"), url: url(WEBHOOK_URL), ...common })
        .register(z.globalRegistry, { id: "WebhookDestinationRequest" }),
      z
        .object({ type: z.literal("email"), address, reports, ...common })
        .register(z.globalRegistry, { id: "EmailDestinationRequest" }),
      z
        .object({ type: z.literal("slack"), url: url(CHAT_URL), ...common })
        .register(z.globalRegistry, { id: "SlackDestinationRequest" }),
      z
        .object({ type: z.literal("teams"), url: url(CHAT_URL), ...common })
        .register(z.globalRegistry, { id: "TeamsDestinationRequest" }),
    ],
    { error: `expected one of the types ${destinationTypes.join(", ")}` },
  )
  .register(z.globalRegistry, { id: "DestinationRequest", description: "A destination to create." });
export type DestinationRequest = z.output<typeof DestinationRequest>;

/** Replaces everything but the type. Fields of other types are ignored. */
export const DestinationChangeRequest = z
  .object({
    ...common,
    url: z.optional(url("A new URL; without it the URL stays. Not for e-mail.")),
    address: z.optional(described(address, "E-mail only: another address must be confirmed again.")),
    reports,
    status: z.optional(described(oneOf(["active", "paused"]), "Resumes or pauses; without it the status stays.")),
    rollSecret: z.optional(
      described(
        z.boolean({ error: "expected true or false" }),
        "Webhook only: issues a new secret. The old one signs as well for 24 hours.",
      ),
    ),
  })
  .register(z.globalRegistry, {
    id: "DestinationChangeRequest",
    description: "What replaces a destination. A missing optional field gets its default; a missing URL stays.",
  });
export type DestinationChangeRequest = z.output<typeof DestinationChangeRequest>;

/** A destination as it is returned and stored. */
export const Destination = z
  .object({
    id: z.string(),
    type: z.enum(destinationTypes),
    name: z.string(),
    target: described(
      z.string(),
      "The e-mail address; of a webhook's URL the origin and the path; of a chat's URL the host only.",
    ),
    status: z.enum(destinationStatuses),
    filter: DestinationFilter,
    quietHours: z.optional(QuietHours),
    digest: z.optional(Digest),
    escalate: z.optional(StoredEscalation),
    reports: z.optional(z.array(z.enum(reportRhythms))),
    createdAt: epochMs(),
    createdBy: z.string(),
    changedAt: epochMs(),
    changedBy: z.string(),
    lastDeliveredAt: z.optional(epochMs("when a delivery succeeded last.")),
    failingSince: z.optional(epochMs("the first failed try since the last success.")),
    failingBecause: z.optional(
      described(
        z.enum(mailFailures),
        "E-mail only: what became of a mail that was sent. `bounced`: its server refused it; `complained`: its reader reported it as spam.",
      ),
    ),
    pausedAt: z.optional(epochMs("when it was paused.")),
    pausedBecause: z.optional(z.enum(pauseReasons)),
    oldSecretValidUntil: z.optional(epochMs("when the replaced secret stops signing.")),
  })
  .register(z.globalRegistry, {
    id: "Destination",
    description: "Where alerts and reports are sent. Its URL and its secret are not returned.",
  });
export type Destination = z.output<typeof Destination>;

/** What POST and a PUT with `rollSecret` return: the only answers with a webhook's secret. */
export const DestinationWithSecret = z
  .extend(Destination, {
    secret: z.optional(
      described(z.string(), "Webhook only, once: `whsec_` and the base64 of the key that signs (Standard Webhooks)."),
    ),
  })
  .register(z.globalRegistry, {
    id: "DestinationWithSecret",
    description: "A destination. A webhook's new secret is in this answer only.",
  });
export type DestinationWithSecret = z.output<typeof DestinationWithSecret>;
