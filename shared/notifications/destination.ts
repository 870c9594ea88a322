/**
 * Destinations: where an organization's alerts and reports are sent. Reading order: this file has what the API accepts and
 * returns, delivery.ts one delivery to a destination, notification-items.ts what is stored. Pure. docs/notifications.md.
 */
import * as z from "zod/mini";
import { epochMs } from "../json/number-fields.ts";
import { text } from "../json/text.ts";
import { type RiskLevel, riskLevels } from "../terms/risk-levels.ts";
import { type NotifiedChange, notifiedChanges } from "./messages/notification.ts";

export const destinationTypes = ["webhook", "email", "slack", "teams"] as const;
export type DestinationType = (typeof destinationTypes)[number];

const destinationStatuses = ["active", "unconfirmed", "paused"] as const;

/** Why a destination is paused. */
const pauseReasons = ["failing", "gone", "user", "unsubscribed"] as const;

/** Reports that an e-mail destination can get: compliance reports daily, security reviews weekly. */
export const reportRhythms = ["daily", "weekly"] as const;
export type ReportRhythm = (typeof reportRhythms)[number];

/** An organization has at most so many destinations. */
export const MAX_DESTINATIONS = 20;
/** A replaced secret of a webhook signs as well for this time. */
export const OLD_SECRET_VALID_MS = 24 * 3_600_000;
/** The link that confirms an e-mail address ends after this time. */
export const CONFIRMATION_LIFE_MS = 48 * 3_600_000;

const MAX_NAME_CHARACTERS = 100;
const MAX_URL_CHARACTERS = 2_048;
const MAX_RULES = 50;
const MAX_RULE_CHARACTERS = 64;

const described = <Schema extends z.ZodMiniType>(schema: Schema, description: string): Schema => {
  z.globalRegistry.add(schema, { description });
  return schema;
};

const TIME_EXPECTED = "expected a time of day such as 22:00";
/** A time of day, `00:00` to `23:59`. */
const timeOfDay = z
  .string({ error: TIME_EXPECTED })
  .check(z.regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, { error: TIME_EXPECTED }));

export const ZONE_EXPECTED = "expected the name of a time zone such as Europe/Berlin";

/** The form of a name of the IANA database; check-request.ts looks whether there is such a zone. */
const timeZone = z
  .string({ error: ZONE_EXPECTED })
  .check(z.regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, { error: ZONE_EXPECTED }));

/** A list without repetitions. */
const list = <Schema extends z.ZodMiniType>(element: Schema, min: number, max: number, what: string) => {
  const error = `expected a list of ${min} to ${max} ${what}, each once`;
  return z
    .array(element, { error })
    .check(
      z.minLength(min, { error }),
      z.maxLength(max, { error }),
      z.refine((elements) => new Set(elements).size === elements.length, { error }),
    )
    .register(z.globalRegistry, { override: { uniqueItems: true } });
};

const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `expected one of ${words.join(", ")}` });

const RULE_EXPECTED = `expected the name of a rule, at most ${MAX_RULE_CHARACTERS} lower-case letters, digits and underscores`;
const rule = z
  .string({ error: RULE_EXPECTED })
  .check(z.regex(new RegExp(`^[a-z][a-z0-9_]{0,${MAX_RULE_CHARACTERS - 1}}$`), { error: RULE_EXPECTED }));

const filterFields = {
  levels: described(
    z.optional(list(oneOf(riskLevels), 1, riskLevels.length, "levels")),
    "The levels that are notified; without it all.",
  ),
  rules: described(
    z.optional(list(rule, 1, MAX_RULES, "rules")),
    "The rules whose alerts are notified; without it all.",
  ),
  changes: described(
    z.optional(list(oneOf(notifiedChanges), 1, notifiedChanges.length, "changes")),
    "The changes that are notified; without it all.",
  ),
};

/** Which changes of alerts a destination gets. */
export const DestinationFilter = z.object(filterFields).register(z.globalRegistry, {
  id: "DestinationFilter",
  description: "Which changes of alerts a destination gets. A missing list means all.",
});
export type DestinationFilter = { levels?: RiskLevel[]; rules?: string[]; changes?: NotifiedChange[] };

/** `from` inclusive, `to` exclusive; they may include midnight. */
const QuietHours = z
  .object({
    from: timeOfDay,
    to: timeOfDay,
    timeZone,
    exceptCritical: described(
      z._default(z.boolean({ error: "expected true or false" }), true),
      "Whether notifications of CRITICAL alerts are sent at once nevertheless.",
    ),
  })
  .register(z.globalRegistry, {
    id: "QuietHours",
    description: "Each day's hours in which notifications are held for one summary.",
  });
export type QuietHours = z.output<typeof QuietHours>;

/** Instead of single notifications, one summary an hour or a day. `at` and `timeZone` count for days only. */
const Digest = z
  .object({
    every: oneOf(["hour", "day"]),
    at: described(z._default(timeOfDay, "08:00"), "When a day's digest is sent."),
    timeZone: z._default(timeZone, "UTC"),
  })
  .register(z.globalRegistry, { id: "Digest", description: "One summary an hour or a day, not single notifications." });
export type Digest = z.output<typeof Digest>;

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
    .check(z.regex(/^https?:\/\/[!-~]{1,2040}$/, { error: URL_EXPECTED }))
    .register(z.globalRegistry, { description });

const reports = described(
  z.optional(list(oneOf(reportRhythms), 1, reportRhythms.length, "rhythms")),
  "E-mail only: links to the daily compliance report, to the weekly security review.",
);

const common = {
  name: text(1, MAX_NAME_CHARACTERS, "How users call the destination."),
  filter: z._default(DestinationFilter, {}),
  quietHours: z.optional(QuietHours),
  digest: z.optional(Digest),
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
    reports: z.optional(z.array(z.enum(reportRhythms))),
    createdAt: epochMs(),
    createdBy: z.string(),
    changedAt: epochMs(),
    changedBy: z.string(),
    lastDeliveredAt: z.optional(epochMs("when a delivery succeeded last.")),
    failingSince: z.optional(epochMs("the first failed try since the last success.")),
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
