import { eventId } from "../../shared/security/event-id.ts";
import type { UserFailures } from "../../shared/security/flood-tally.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type EventFields = Pick<SecurityEvent, "eventType"> &
  Partial<Omit<SecurityEvent, "id" | "timestamp" | "createdAt">>;
type Who = { user?: string; address?: string };

/** 16 bytes that differ for each number, so that ids differ. */
const bytesOf = (number: number): Uint8Array => {
  const bytes = new Uint8Array(16);
  for (let rest = number, i = 15; rest > 0; i--) {
    bytes[i] = rest % 32;
    rest = Math.floor(rest / 32);
  }
  return bytes;
};

const callerOf = ({ user, address }: Who) => ({
  source: "user" as const,
  ...(user !== undefined && { userId: user }),
  ...(address !== undefined && { ipAddress: address }),
});

const authenticationFailure = {
  eventType: "AUTHENTICATION_FAILURE",
  category: "authentication",
  riskLevel: "HIGH",
  success: false,
} as const;

export type Events = ReturnType<typeof createEvents>;

/** Makes events of an organization in the form that the service records; times in epoch ms. */
export const createEvents = (organizationId: string | undefined = "acme") => {
  let made = 0;

  const event = (at: number, fields: EventFields): SecurityEvent => ({
    id: eventId(at, bytesOf(made++)),
    ...(organizationId !== undefined && { organizationId }),
    category: "integration",
    riskLevel: "LOW",
    source: "system",
    success: true,
    processed: false,
    alertGenerated: false,
    ...fields,
    timestamp: at,
    createdAt: at,
  });

  const operation = (at: number, metadata: Record<string, unknown> = {}, fields: Partial<EventFields> = {}) =>
    event(at, {
      eventType: "PROVIDER_REQUEST",
      action: "list_events",
      resourceType: "provider_account",
      metadata: { durationMs: 120, attempts: 1, ...metadata },
      ...fields,
    });

  const run = (at: number, runId: string, trigger: string, fields: EventFields) =>
    event(at, {
      action: "sync_incremental",
      resourceType: "provider_account",
      metadata: { runId, trigger },
      ...fields,
    });

  const denied = (at: number, who: Who, fields: Partial<EventFields>, metadata: Record<string, unknown>) =>
    event(at, {
      eventType: "PERMISSION_DENIED",
      category: "authorization",
      riskLevel: "HIGH",
      success: false,
      ...callerOf(who),
      ...fields,
      metadata,
    });

  return {
    event,

    /** A refused token; with `count`, the count of a flood. */
    tokenFailure: (
      at: number,
      who: Who,
      count?: { failures: number; users: number; busiest?: readonly UserFailures[] },
    ) =>
      event(at, {
        ...authenticationFailure,
        ...callerOf(who),
        errorCode: "40103",
        action: "get_api_integrations_provider_security",
        metadata: { permission: "security:read", ...count },
      }),

    /** A forged webhook. */
    forgedWebhook: (at: number, address: string, failures?: number) =>
      event(at, {
        ...authenticationFailure,
        source: "webhook",
        ipAddress: address,
        errorCode: "40005",
        action: "receive_webhook",
        metadata: failures === undefined ? {} : { failures },
      }),

    call: (at: number, who: Who, action = "read_invoices") =>
      event(at, { eventType: "DATA_READ", category: "data_access", ...callerOf(who), action }),

    denial: (at: number, who: Who, permission: string, metadata: Record<string, unknown> = {}) =>
      denied(
        at,
        who,
        { errorCode: "40301", action: `try_${permission.replace(":", "_")}` },
        { permission, ...metadata },
      ),

    blocked: (at: number, who: Who, metadata: Record<string, unknown> = {}) =>
      denied(
        at,
        who,
        { errorCode: "40302", action: "get_api_integrations_provider_sync" },
        { permission: "status:read", ...metadata },
      ),

    /** A cursor that was issued to another organization. */
    foreignId: (at: number, who: Who, metadata: Record<string, unknown> = {}) =>
      denied(
        at,
        who,
        { errorCode: "40003", action: "get_api_integrations_provider_security", riskLevel: "CRITICAL" },
        { permission: "security:read", ...metadata },
      ),

    operation,

    /** An operation that the provider's rate limit failed. */
    rateLimited: (at: number, attempts = 1) =>
      operation(
        at,
        { attempts, rateLimited: attempts },
        { eventType: "RATE_LIMIT_EXCEEDED", riskLevel: "HIGH", success: false, errorCode: "rate_limit" },
      ),

    /** An operation whose credentials the provider refused. */
    credentialsRefused: (at: number, fields: Partial<EventFields> = {}) =>
      operation(at, {}, { ...authenticationFailure, errorCode: "http_401", ...fields }),

    reconnectNeeded: (at: number) =>
      event(at, { ...authenticationFailure, errorCode: "invalid_grant", action: "require_reconnect" }),

    /** A key that the provider rejects while connecting. */
    connectRefused: (at: number, who: Who) =>
      operation(
        at,
        {},
        { action: "read_account", ...callerOf(who), riskLevel: "HIGH", success: false, errorCode: "http_401" },
      ),

    connected: (at: number, who: Who = { user: "ada" }) =>
      event(at, { eventType: "PROVIDER_CONNECTION_ESTABLISHED", ...callerOf(who), action: "connect_account" }),

    disconnected: (at: number, who: Who = { user: "ada" }) =>
      event(at, { eventType: "PROVIDER_CONNECTION_REMOVED", ...callerOf(who), action: "disconnect_account" }),

    circuit: (at: number, to: "open" | "half_open" | "closed" | "forced_open" | "forced_closed") =>
      event(at, {
        eventType: "CIRCUIT_BREAKER_CHANGED",
        category: "system",
        riskLevel: to === "open" ? "HIGH" : "LOW",
        resourceType: "circuit_breaker",
        action: to,
        metadata: { to },
      }),

    storeFailure: (at: number, metadata: Record<string, unknown> = {}) =>
      operation(
        at,
        { attempts: 0, ...metadata },
        { riskLevel: "MEDIUM", success: false, errorCode: "store_unavailable" },
      ),

    runStarted: (at: number, runId: string, trigger = "scheduled", who: Who = {}) =>
      run(at, runId, trigger, {
        eventType: "PROVIDER_SYNC_STARTED",
        ...callerOf(who),
        source: trigger === "manual" ? "user" : trigger === "webhook_gap" ? "webhook" : "system",
      }),

    runSucceeded: (at: number, runId: string, trigger = "scheduled") =>
      run(at, runId, trigger, { eventType: "PROVIDER_SYNC_COMPLETED" }),

    runFailed: (at: number, runId: string, trigger = "scheduled", errorCode = "no_answer") =>
      run(at, runId, trigger, { eventType: "PROVIDER_SYNC_FAILED", success: false, riskLevel: "MEDIUM", errorCode }),
  };
};
