/** The security events of refreshing tokens, and who acts in events. Spec: "Events". */

import type { OperationContext } from "../provider/provider.ts";
import type { ProviderError } from "../provider/provider-error.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import type { Origin } from "../terms/requester.ts";

/** Who connects or disconnects, and from where. */
export type ActingUser = {
  caller: Pick<OrganizationCaller, "organizationId" | "userId" | "sessionId" | "scope">;
  origin: Origin;
};

/** A user's request, as operations against the provider and events name it. */
export const contextOfUser = ({ caller, origin }: ActingUser): OperationContext => ({
  organizationId: caller.organizationId,
  source: "user",
  userId: caller.userId,
  ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }),
  ipAddress: origin.ipAddress,
  ...(origin.userAgent !== undefined && { userAgent: origin.userAgent }),
});

const onAccount = ({ isConnecting: _, runId: __, accountId, ...who }: OperationContext) => ({
  ...who,
  ...(accountId !== undefined && { resource: accountId }),
  resourceType: "provider_account" as const,
});

const refreshOf = (context: OperationContext, durationMs: number) => ({
  ...onAccount(context),
  category: "authentication" as const,
  action: "refresh_tokens",
  metadata: { durationMs, attempts: 1, ...(context.runId !== undefined && { runId: context.runId }) },
});

export const refreshedEvent = (context: OperationContext, durationMs: number): NewSecurityEvent => ({
  ...refreshOf(context, durationMs),
  eventType: "PROVIDER_TOKEN_REFRESH",
  riskLevel: "LOW",
  success: true,
});

/** The token endpoint failed; the connection stays as it is. */
export const refreshFailedEvent = (
  context: OperationContext,
  durationMs: number,
  { kind, code, status, message }: ProviderError,
): NewSecurityEvent => ({
  ...refreshOf(context, durationMs),
  eventType: kind === "rate_limit" ? "RATE_LIMIT_EXCEEDED" : "PROVIDER_TOKEN_REFRESH",
  errorKind: kind,
  success: false,
  errorCode: code ?? (status === undefined ? "no_answer" : String(status)),
  errorMessage: message,
});

/** @param reason `invalid_grant`: the refresh token is dead; `token_refused`: a token fresh from an exchange is. */
export const reconnectNeededEvent = (
  context: OperationContext,
  reason: "invalid_grant" | "token_refused",
): NewSecurityEvent => ({
  ...onAccount(context),
  eventType: "AUTHENTICATION_FAILURE",
  category: "authentication",
  errorKind: "authentication",
  action: "require_reconnect",
  success: false,
  errorCode: reason,
  errorMessage: "The provider takes the connection's tokens no longer; it must be made anew.",
  ...(context.runId !== undefined && { metadata: { runId: context.runId } }),
});
