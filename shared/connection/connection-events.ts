/** The security events of connections: their changes, and token refreshes. Spec: "Events". */
import { definedFields } from "../json/defined-fields.ts";
import type { OperationContext } from "../provider/provider.ts";
import type { ProviderError } from "../provider/provider-error.ts";
import { writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import { requesterFields, requesterOf, type UserRequest } from "../terms/requester.ts";
import type { ConnectedItem, ConnectionChange, ReconnectReason } from "./connection-item.ts";
import type { ForgetChange } from "./connection-writer.ts";

/** A user's request to connect or disconnect. */
export type ConnectionUserRequest = UserRequest & { caller: Pick<OrganizationCaller, "scope"> };

/** A user's request as the context of operations against the provider. */
export const contextOfUser = (request: UserRequest): OperationContext => ({
  organizationId: request.caller.organizationId,
  source: "user",
  ...definedFields(requesterOf(request)),
});

/** The change that sets `needs_reconnect`. @param at epoch ms. */
export const reconnectChange = (
  context: OperationContext,
  failed: Pick<ConnectedItem, "connectionId" | "credentialsVersion" | "accountId" | "method">,
  { reason, at }: { reason: ReconnectReason; at: number },
): ConnectionChange => {
  const { connectionId, credentialsVersion: version, accountId, method } = failed;
  const { source, runId } = context;
  return {
    eventType: "AUTHENTICATION_FAILURE",
    connectionId,
    version,
    accountId,
    method,
    at,
    source,
    reason,
    ...requesterFields(context),
    ...definedFields({ runId }),
  };
};

const actions = {
  PROVIDER_CONNECTION_ESTABLISHED: "connect_account",
  PROVIDER_CONNECTION_REMOVED: "disconnect_account",
  AUTHENTICATION_FAILURE: "require_reconnect",
  WEBHOOK_SECRETS_CHANGED: "change_webhook_secrets",
} as const;

const connectionChangedEvent = (organizationId: string, change: ConnectionChange): NewSecurityEvent => {
  const { eventType, accountId, source, durationMs, method, requestId, runId, reason } = change;
  const common = {
    organizationId,
    source,
    ...requesterFields(change),
    resource: accountId,
    resourceType: "provider_account" as const,
    action: actions[eventType],
  };
  if (eventType === "AUTHENTICATION_FAILURE") {
    return {
      ...common,
      eventType,
      category: "authentication",
      errorKind: "authentication",
      success: false,
      ...definedFields({ errorCode: reason }),
      errorMessage: "The provider rejects the connection's credentials; the account must be connected again.",
      metadata: { method, ...definedFields({ runId }) },
    };
  }
  if (eventType === "WEBHOOK_SECRETS_CHANGED") {
    return {
      ...common,
      eventType,
      category: "compliance",
      riskLevel: "MEDIUM",
      success: true,
      // Not under a name with "secret", which would be redacted.
      metadata: { ...change.secrets, ...definedFields({ requestId }) },
    };
  }
  return {
    ...common,
    eventType,
    category: "integration",
    riskLevel: "LOW",
    success: true,
    metadata: { method, ...definedFields({ durationMs, requestId, reason }) },
  };
};

/** @param rejection its event, and when it happened, epoch ms. */
export type OnRejected = (organizationId: string, rejection: { eventId: string; at: number }) => Promise<void>;

export type RecordConnectionChange = (organizationId: string, change: ConnectionChange) => Promise<void>;

/**
 * Records the security event of a change and then removes the change from the item. The same change is recorded once,
 * because the event's id follows from the connection and the change's version. Never throws.
 */
export const createConnectionChangeRecorder =
  (dependencies: {
    recorder: Pick<Recorder, "record">;
    changes: { forgetChange: ForgetChange };
    /** Called once the event of rejected credentials is recorded. Repeatable. */
    onRejected?: OnRejected | undefined;
  }): RecordConnectionChange =>
  async (organizationId, change) => {
    const { recorder, changes, onRejected } = dependencies;
    const { eventType, connectionId, version, at } = change;
    const name = [eventType, organizationId, connectionId, ...(version === undefined ? [] : [version])];
    const moment = { timestamp: at, identity: identityOf(...name) };
    await recorder.record(connectionChangedEvent(organizationId, change), moment);
    if (eventType === "AUTHENTICATION_FAILURE") {
      await onRejected?.(organizationId, { eventId: eventId(at, moment.identity), at }).catch((error: unknown) => {
        writeLog("error", "Judging rejected credentials failed", { cause: String(error) });
      });
    }
    await changes.forgetChange(organizationId, change).catch((error: unknown) => {
      writeLog("warn", "Marking a change of a connection as recorded failed", { cause: String(error) });
    });
  };

const accountEvent = ({ isConnecting: _, runId: __, accountId, ...who }: OperationContext) => ({
  ...who,
  ...definedFields({ resource: accountId }),
  resourceType: "provider_account" as const,
});

const refreshEvent = (context: OperationContext, durationMs: number) => ({
  ...accountEvent(context),
  category: "authentication" as const,
  action: "refresh_tokens",
  metadata: { durationMs, attempts: 1, ...definedFields({ runId: context.runId }) },
});

export const refreshedEvent = (context: OperationContext, durationMs: number): NewSecurityEvent => ({
  ...refreshEvent(context, durationMs),
  eventType: "PROVIDER_TOKEN_REFRESH",
  riskLevel: "LOW",
  success: true,
});

/** The token endpoint failed, and the connection stays as it is. */
export const refreshFailedEvent = (
  context: OperationContext,
  durationMs: number,
  { kind, code, status, message }: ProviderError,
): NewSecurityEvent => ({
  ...refreshEvent(context, durationMs),
  eventType: kind === "rate_limit" ? "RATE_LIMIT_EXCEEDED" : "PROVIDER_TOKEN_REFRESH",
  errorKind: kind,
  success: false,
  errorCode: code ?? (status === undefined ? "no_answer" : String(status)),
  errorMessage: message,
});
