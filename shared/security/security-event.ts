/**
 * Security events: each operation of the integration leaves one, and each refusal.
 * A subject hands a NewSecurityEvent to the recorder (recorder.ts), which completes and stores it
 * (security-event-store.ts). If the event reaches ALERT_THRESHOLD, the recorder has an alert raised (alerts/alert.ts).
 * GET …/security lists events and their statistics (monitoring/security-report.ts).
 * Spec: integration security monitoring, "SecurityEvent" and "Events".
 */
import * as z from "zod/mini";
import { epochMs } from "../json/number-fields.ts";
import { type ErrorKind, type RiskLevel, riskLevels } from "../terms/risk-levels.ts";

export const categories = [
  "integration",
  "authentication",
  "authorization",
  "data_access",
  "system",
  "compliance",
  "security",
] as const;
export type Category = (typeof categories)[number];

/** `system`: schedules; `user`: a call of the API; `webhook`: a delivery of the provider; `provider`: its account log. */
export const sources = ["system", "user", "webhook", "provider"] as const;
export type Source = (typeof sources)[number];

export const resourceTypes = [
  "provider_account",
  "invoice",
  "subscription",
  "payment",
  "customer",
  "refund",
  "dispute",
  "payout",
  "circuit_breaker",
  "security_event",
  "plant",
  "report",
] as const;

/**
 * Each event type with the sentence that the OpenAPI document and docs/security-events.md have. The ten types of the
 * specification come first, then our additions.
 */
export const eventTypes = {
  PROVIDER_SYNC_STARTED: "A sync run started.",
  PROVIDER_SYNC_COMPLETED: "A sync run read every record type to its end.",
  PROVIDER_SYNC_FAILED: "A sync run failed.",
  PROVIDER_CONNECTION_ESTABLISHED: "A provider account was connected.",
  PROVIDER_CONNECTION_REMOVED: "A provider account was disconnected.",
  PROVIDER_TOKEN_REFRESH: "The access token of an OAuth connection was refreshed.",
  AUTHENTICATION_FAILURE: "A token, a webhook's signature or the provider's credentials were not accepted.",
  PERMISSION_DENIED:
    "A caller was refused because of a missing permission, a blocked address or a foreign organization.",
  RATE_LIMIT_EXCEEDED: "An operation failed because the provider limits the rate of requests.",
  MANUAL_ALERT_GENERATED: "An administrator generated an alert by hand.",
  CIRCUIT_BREAKER_CHANGED: "The organization's circuit changed its state, by itself or by an operator.",
  SYSTEM_OUTAGE:
    "Half or more of all circuits opened by themselves, of at least five connected organizations; the event has no organization.",
  PROVIDER_REQUEST:
    "An operation against the provider ended that has no type of its own, or a sync run set an object aside.",
  DATA_READ: "A user read records, reports or settings; one event per user, kind of data and minute.",
  SETTINGS_CHANGED: "An organization changed its settings.",
  WEBHOOK_SECRETS_CHANGED: "An organization replaced the secrets of its webhooks.",
  WEBHOOK_RECEIVED: "A genuine webhook of the provider arrived.",
  WEBHOOK_NOT_APPLIED: "A webhook could not be applied; it is tried again and then kept.",
  WEBHOOK_REPLAYED: "A user had a failed webhook processed again.",
  PLATFORM_EVENTS_STOPPED:
    "The platform's webhooks no longer reach a connection whose API key the provider has not accepted for 24 hours.",
  ERASURE_REQUESTED: "An administrator requested an erasure of data.",
  ERASURE_COMPLETED: "An erasure ended: a final pass found no more data.",
  EXPORT_REQUESTED: "An administrator requested an export of events, or of all data of the organization.",
  EXPORT_COMPLETED: "The files of an export are complete and can be downloaded.",
  NOTIFICATIONS_CHANGED: "A destination of notifications was created, changed, deleted, confirmed or unsubscribed.",
  CUSTOM_RULE_CREATED: "An administrator created an own rule of detection.",
  CUSTOM_RULE_CHANGED: "An administrator changed an own rule of detection.",
  CUSTOM_RULE_DELETED: "An administrator deleted an own rule of detection.",
  ALERT_MUTE_CREATED: "An administrator muted alerts for a time.",
  ALERT_MUTE_ENDED: "A mute of alerts ended, by itself or by an administrator.",
  REPORT_REVIEWED: "A user reviewed a report.",
  DRILL_STARTED: "A user started a fire drill of the alarms.",
  PROVIDER_ACCOUNT_ACTIVITY: "Something happened to the account at the provider, such as a key that was made.",
  NOTIFICATIONS_PAUSED:
    "The service paused a destination of notifications, because it failed for five days or is gone.",
  DETECTION_RULE_CHANGED: "A user changed the settings of a detection rule, or switched it off or on.",
} as const;
export type EventType = keyof typeof eventTypes;

/** An unknown type, as of a later version, is allowed. open-api-document.ts documents the types with their sentences. */
export const EventTypeName = z.string();

/** Where the API has an event. */
export const EVENT_PATH = "/api/integrations/provider/security/events/{id}";

/** The greatest lengths of texts in code points; the recorder cuts longer ones. */
export const maxCharacters = {
  userAgent: 256,
  errorMessage: 512,
  ipAddress: 256,
  resource: 256,
  action: 256,
  errorCode: 256,
} as const;

const text = z.string();
const cutText = (name: keyof typeof maxCharacters) =>
  z.optional(z.string().register(z.globalRegistry, { override: { maxLength: maxCharacters[name] } }));
const time = epochMs();

/** A security event as it is stored and returned. */
export const SecurityEvent = z
  .object({
    /** 26 characters; ids sort by time (event-id.ts). */
    id: text,
    organizationId: z.optional(text),
    userId: z.optional(text),
    sessionId: z.optional(text),
    eventType: EventTypeName,
    category: z.enum(categories),
    riskLevel: z.enum(riskLevels),
    source: z.enum(sources),
    ipAddress: cutText("ipAddress"),
    userAgent: cutText("userAgent"),
    location: z.optional(text),
    resource: cutText("resource"),
    resourceType: z.optional(z.enum(resourceTypes)),
    action: cutText("action"),
    success: z.boolean(),
    errorCode: cutText("errorCode"),
    errorMessage: cutText("errorMessage"),
    metadata: z.optional(z.unknown()),
    processed: z.boolean(),
    processedAt: z.optional(time),
    alertGenerated: z.boolean(),
    alertLevel: z.optional(z.enum(riskLevels)),
    drill: z.optional(
      z.literal(true).register(z.globalRegistry, {
        description: "A fire drill made it: it is in no number, export or report.",
      }),
    ),
    timestamp: time,
    createdAt: time,
  })
  .register(z.globalRegistry, {
    id: "SecurityEvent",
    description: "An operation, refusal or change: who did what, and the result.",
  });
export type SecurityEvent = z.output<typeof SecurityEvent>;

/** The fields that the recorder sets. */
type RecorderField =
  | "id"
  | "location"
  | "processed"
  | "processedAt"
  | "alertGenerated"
  | "alertLevel"
  | "timestamp"
  | "createdAt";

/** The risk level itself, or the kind of the error that a failed operation met. */
type Risk = { riskLevel: RiskLevel; errorKind?: undefined } | { errorKind: ErrorKind; riskLevel?: undefined };

/** What a caller of the recorder provides; the recorder adds id, times, and what follows from the configuration. */
export type NewSecurityEvent = Omit<SecurityEvent, RecorderField | "eventType" | "metadata" | "riskLevel"> & {
  eventType: EventType;
  metadata?: Readonly<Record<string, unknown>>;
} & Risk;
