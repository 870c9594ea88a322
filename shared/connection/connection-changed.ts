/**
 * That an account was connected or disconnected: what lies in the connection's item, by the very write that did it,
 * until its security event was recorded. Spec: "Events".
 */
import * as z from "zod/mini";
import { type NewSecurityEvent, sources } from "../security/security-event.ts";
import { connectionMethods } from "./connection.ts";

const text = z.optional(z.string());

export const ConnectionChange = z.object({
  eventType: z.enum(["PROVIDER_CONNECTION_ESTABLISHED", "PROVIDER_CONNECTION_REMOVED"]),
  connectionId: z.string(),
  accountId: z.string(),
  method: z.enum(connectionMethods),
  /** Epoch ms. */
  at: z.number(),
  /** How long verifying took, of a connect. */
  durationMs: z.optional(z.number()),
  source: z.enum(sources),
  userId: text,
  sessionId: text,
  ipAddress: text,
  userAgent: text,
  requestId: text,
  /** Why, where it was nobody's request. */
  reason: z.optional(z.literal("deauthorized")),
});
export type ConnectionChange = z.output<typeof ConnectionChange>;

const actions = {
  PROVIDER_CONNECTION_ESTABLISHED: "connect_account",
  PROVIDER_CONNECTION_REMOVED: "disconnect_account",
} as const;

/** The security event of a change. */
export const connectionChangedEvent = (organizationId: string, change: ConnectionChange): NewSecurityEvent => {
  const { eventType, accountId, source, userId, sessionId, ipAddress, userAgent } = change;
  const { durationMs, method, requestId, reason } = change;
  return {
    organizationId,
    source,
    ...(userId !== undefined && { userId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(ipAddress !== undefined && { ipAddress }),
    ...(userAgent !== undefined && { userAgent }),
    eventType,
    category: "integration",
    riskLevel: "LOW",
    resource: accountId,
    resourceType: "provider_account",
    action: actions[eventType],
    success: true,
    metadata: {
      method,
      ...(durationMs !== undefined && { durationMs }),
      ...(requestId !== undefined && { requestId }),
      ...(reason !== undefined && { reason }),
    },
  };
};
