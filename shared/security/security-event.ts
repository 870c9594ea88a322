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
] as const;
export type Category = (typeof categories)[number];

/** `system`: schedules; `user`: a call of the API; `webhook`: a delivery of the provider. */
export const sources = ["system", "user", "webhook"] as const;
export type Source = (typeof sources)[number];

export const resourceTypes = [
  "provider_account",
  "invoice",
  "subscription",
  "payment",
  "customer",
  "circuit_breaker",
  "security_event",
  "plant",
  "report",
] as const;

/** Each event type with its meaning. The ten types of the specification come first, then our additions. */
export const eventTypes = {
  PROVIDER_SYNC_STARTED: "Synchronization process initiated",
  PROVIDER_SYNC_COMPLETED: "Synchronization completed successfully",
  PROVIDER_SYNC_FAILED: "Synchronization failed with errors",
  PROVIDER_CONNECTION_ESTABLISHED: "New provider account connected",
  PROVIDER_CONNECTION_REMOVED: "Provider account disconnected",
  PROVIDER_TOKEN_REFRESH: "Access token refreshed",
  AUTHENTICATION_FAILURE: "Authentication errors",
  PERMISSION_DENIED: "Authorization failures",
  RATE_LIMIT_EXCEEDED: "API rate limits hit",
  MANUAL_ALERT_GENERATED: "Manual security alerts",
  CIRCUIT_BREAKER_CHANGED: "The circuit breaker changed its state",
  SYSTEM_OUTAGE: "Half or more of all circuits opened by themselves",
  PROVIDER_REQUEST: "An operation against the provider that has no type of its own",
  DATA_READ: "Records, reports or settings were read",
  SETTINGS_CHANGED: "An organization changed its settings",
  WEBHOOK_SECRETS_CHANGED: "An organization replaced the secrets of its webhooks",
  WEBHOOK_RECEIVED: "A webhook of the provider arrived",
  WEBHOOK_NOT_APPLIED: "What a webhook brought could not be applied; it is tried again, and then kept",
  ERASURE_REQUESTED: "Somebody asked for data to be erased",
  ERASURE_COMPLETED: "Data was erased, and looked for again",
} as const;
export type EventType = keyof typeof eventTypes;

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
    eventType: text,
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
