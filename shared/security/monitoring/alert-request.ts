/** The bodies of POST …/security/alert and the query of GET …/security/alert. Decisions: docs/security-events.md. */
import * as z from "zod/mini";
import { encodeJson } from "../../json/encode-json.ts";
import { text } from "../../json/text.ts";
import { upperCase, word } from "../../json/word.ts";
import { isIdentifier } from "../../terms/caller.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { Alert, alertStatuses, MAX_EVENT_IDS, resolutionCauses } from "../alerts/alert.ts";
import { MAX_ASSIGNMENTS, MAX_COMMENTS, MAX_REOPENINGS } from "../alerts/alert-note.ts";

const MAX_IDS = 100;
const ID_MAX_CHARACTERS = 128;
const TITLE_MAX_CHARACTERS = 256;
const MESSAGE_MAX_CHARACTERS = 1_024;
const COMMENT_MAX_CHARACTERS = 2_000;
const USER_MAX_CHARACTERS = 128;
const METADATA_MAX_BYTES = 2_048;
const METADATA_MAX_DEPTH = 16;

/** Ids of any form: the answer lists unknown ids as not found. */
const anyId = z.string({ error: "expected an id" });

const ids = (min: number, max: number, description: string, id: z.ZodMiniType<string> = anyId) => {
  const error = `expected a list of ${min} to ${max} ids`;
  return z
    .array(id, { error })
    .check(z.minLength(min, { error }), z.maxLength(max, { error }))
    .register(z.globalRegistry, { description });
};

/** As an item's key, the store's client would lose it with its value. */
const LOST_KEY = "__proto__";

/** Checked level by level, because JSON.stringify fails on very deep values. */
const isShallowWithoutLostKey = (value: unknown): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > METADATA_MAX_DEPTH) return false;
    const objects = level.filter((one) => typeof one === "object" && one !== null);
    if (objects.some((one) => Object.hasOwn(one, LOST_KEY))) return false;
    level = objects.flatMap((one): unknown[] => Object.values(one));
  }
  return true;
};

const METADATA_EXPECTED = `expected an object of at most ${METADATA_MAX_BYTES} bytes of JSON in UTF-8, nested ${METADATA_MAX_DEPTH} deep at most, without a key ${LOST_KEY}`;
/** Not a record's schema: that drops the key before any check. */
const metadata = z
  .custom<Record<string, unknown>>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      isShallowWithoutLostKey(value) &&
      Buffer.byteLength(encodeJson(value)) <= METADATA_MAX_BYTES,
    { error: METADATA_EXPECTED },
  )
  .register(z.globalRegistry, {
    description: `Further facts: at most ${METADATA_MAX_BYTES} bytes of JSON in UTF-8, nested ${METADATA_MAX_DEPTH} deep at most, without a key \`${LOST_KEY}\` at any depth. The alert's event does not contain them.`,
    override: { type: "object", additionalProperties: {}, propertyNames: { not: { const: LOST_KEY } } },
  });

const MarkProcessed = z
  .object({ action: z.literal("mark_processed"), eventIds: ids(1, MAX_IDS, "The events to mark.") })
  .register(z.globalRegistry, { id: "MarkProcessed", description: "Marks events as processed." });

const GenerateAlert = z
  .object({
    action: z.literal("generate_alert"),
    title: text(1, TITLE_MAX_CHARACTERS, "The alert's title."),
    riskLevel: word(riskLevels, upperCase, "The alert's level, in any case."),
    message: z.optional(text(1, MESSAGE_MAX_CHARACTERS, "A description of the problem.")),
    eventIds: z.optional(ids(0, MAX_EVENT_IDS, "The events of the alert.", text(1, ID_MAX_CHARACTERS, "An id."))),
    metadata: z.optional(metadata),
  })
  .register(z.globalRegistry, { id: "GenerateAlert", description: "Generates an alert by hand." });
export type GenerateAlert = z.output<typeof GenerateAlert>;

const AcknowledgeAlerts = z
  .object({ action: z.literal("acknowledge"), alertIds: ids(1, MAX_IDS, "The alerts to acknowledge.") })
  .register(z.globalRegistry, { id: "AcknowledgeAlerts", description: "Marks alerts as being looked after." });

const USER_EXPECTED = `expected a user id of 1 to ${USER_MAX_CHARACTERS} printable characters without space, or null`;
const userId = z
  .string({ error: USER_EXPECTED })
  .check(z.refine(isIdentifier, { error: USER_EXPECTED }))
  .register(z.globalRegistry, {
    override: { type: "string", minLength: 1, maxLength: USER_MAX_CHARACTERS, pattern: "^[^\\p{C}\\p{Z}]*$" },
  });

const AssignAlerts = z
  .object({
    action: z.literal("assign"),
    alertIds: ids(1, MAX_IDS, "The alerts to assign."),
    assignee: z
      .nullable(userId)
      .register(z.globalRegistry, { description: "The user's id as tokens have it; null takes the assignment away." }),
  })
  .register(z.globalRegistry, { id: "AssignAlerts", description: "Assigns alerts to a user, or to no user." });

const CommentOnAlerts = z
  .object({
    action: z.literal("comment"),
    alertIds: ids(1, MAX_IDS, "The alerts to comment on, resolved or not."),
    text: text(1, COMMENT_MAX_CHARACTERS, "The comment."),
  })
  .register(z.globalRegistry, { id: "CommentOnAlerts", description: "Adds a comment to alerts." });

const ResolveAlerts = z
  .object({
    action: z.literal("resolve"),
    alertIds: ids(1, MAX_IDS, "The alerts to resolve."),
    cause: z.optional(
      z
        .enum(resolutionCauses, { error: `expected one of ${resolutionCauses.join(", ")}` })
        .register(z.globalRegistry, { description: "What the alerts turned out to be. Reports count the causes." }),
    ),
  })
  .register(z.globalRegistry, { id: "ResolveAlerts", description: "Closes alerts." });

const ReopenAlerts = z
  .object({ action: z.literal("reopen"), alertIds: ids(1, MAX_IDS, "The resolved alerts to open again.") })
  .register(z.globalRegistry, { id: "ReopenAlerts", description: "Opens resolved alerts again." });

const actions = [
  MarkProcessed,
  GenerateAlert,
  AcknowledgeAlerts,
  AssignAlerts,
  CommentOnAlerts,
  ResolveAlerts,
  ReopenAlerts,
] as const;

/** The body of POST …/security/alert. */
export const AlertAction = z
  .discriminatedUnion("action", actions, {
    error: ({ code, path }) =>
      code === "invalid_union" && path?.at(-1) === "action"
        ? "expected one of mark_processed, generate_alert, acknowledge, assign, comment, resolve, reopen"
        : "expected an object with an action",
  })
  .register(z.globalRegistry, { id: "AlertAction", description: "An action on events or alerts." });
export type AlertAction = z.output<typeof AlertAction>;

const outcome = (description: string) => z.array(z.string()).register(z.globalRegistry, { description });
const notFound = outcome("The ids without an event or alert of the organization.");

/** Each answer names the action that it answers. */
const EventsMarked = z
  .object({
    action: z.literal("mark_processed"),
    processed: outcome("The events marked now."),
    alreadyProcessed: outcome("The events marked before."),
    notFound,
  })
  .register(z.globalRegistry, {
    id: "EventsMarked",
    description: "The answer to `mark_processed`, for each event id.",
  });
const AlertGenerated = z
  .object({ action: z.literal("generate_alert"), alert: Alert })
  .register(z.globalRegistry, { id: "AlertGenerated", description: "The answer to `generate_alert`." });
const unchanged = outcome("The alerts that had the status already, or are resolved.");
const AlertsAcknowledged = z
  .object({
    action: z.literal("acknowledge"),
    acknowledged: outcome("The alerts acknowledged now."),
    unchanged,
    notFound,
  })
  .register(z.globalRegistry, {
    id: "AlertsAcknowledged",
    description: "The answer to `acknowledge`, for each alert id.",
  });
const AlertsAssigned = z
  .object({
    action: z.literal("assign"),
    assigned: outcome("The alerts assigned now, or whose assignment was taken away now."),
    unchanged: outcome(
      `The alerts that were assigned like that already, are resolved, or were assigned ${MAX_ASSIGNMENTS} times.`,
    ),
    notFound,
  })
  .register(z.globalRegistry, { id: "AlertsAssigned", description: "The answer to `assign`, for each alert id." });
const AlertsCommented = z
  .object({
    action: z.literal("comment"),
    commented: outcome("The alerts that have the comment now."),
    unchanged: outcome(`The alerts that have ${MAX_COMMENTS} comments, and take no more.`),
    notFound,
  })
  .register(z.globalRegistry, { id: "AlertsCommented", description: "The answer to `comment`, for each alert id." });
const AlertsResolved = z
  .object({ action: z.literal("resolve"), resolved: outcome("The alerts resolved now."), unchanged, notFound })
  .register(z.globalRegistry, { id: "AlertsResolved", description: "The answer to `resolve`, for each alert id." });

const AlertsReopened = z
  .object({
    action: z.literal("reopen"),
    reopened: outcome("The alerts opened again now."),
    unchanged: outcome(`The alerts that are not resolved, or were opened again ${MAX_REOPENINGS} times.`),
    notFound,
  })
  .register(z.globalRegistry, { id: "AlertsReopened", description: "The answer to `reopen`, for each alert id." });

/** The answer to each action, in the order of the actions. */
export const AlertActionResult = z
  .discriminatedUnion("action", [
    EventsMarked,
    AlertGenerated,
    AlertsAcknowledged,
    AlertsAssigned,
    AlertsCommented,
    AlertsResolved,
    AlertsReopened,
  ])
  .register(z.globalRegistry, { id: "AlertActionResult", description: "The outcome of the action of the same name." });
export type AlertActionResult = z.output<typeof AlertActionResult>;

/** The query of GET …/security/alert. */
export const AlertQuery = z.object({
  status: z.optional(
    z.enum(alertStatuses, { error: `expected one of ${alertStatuses.join(", ")}` }).register(z.globalRegistry, {
      description: "Only alerts of this status.",
      override: { type: "string", enum: [...alertStatuses] },
    }),
  ),
  assignee: z.optional(text(1, USER_MAX_CHARACTERS, "Only alerts that are assigned to this user.")),
  mutedBy: z.optional(text(1, 255, "Only alerts that this mute ever hid.")),
});
