/**
 * Ends a connection: at a user's request (DELETE …/connection), or because the account withdrew its permission. The
 * credentials are removed and runs end. A repeated call completes what an earlier call left undone.
 */
import type { OperationContext, ProviderAccess } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { requesterFields, type UserRequest } from "../terms/requester.ts";
import type { ConnectionChangeStore } from "./connection-change-store.ts";
import { contextOfUser, type RecordConnectionChange } from "./connection-events.ts";
import type { ConnectionSecrets } from "./connection-secrets.ts";
import type { ConnectionStore } from "./connection-store.ts";
import type { WebhookRegistration } from "./webhook-registration.ts";

export type DisconnectDependencies = {
  changes: Pick<ConnectionChangeStore, "disconnect">;
  recordChange: RecordConnectionChange;
  cancelRuns(organizationId: string): Promise<void>;
  now: Clock;
};

/** `connectionId`: end only this connection, and no later one. `requestId`, `reason`: for the event. */
type DisconnectOptions = { connectionId?: string; requestId?: string; reason?: "deauthorized" };

/** @throws DomainError `store_unavailable`: repeat the call. */
export type Disconnect = (context: OperationContext, options?: DisconnectOptions) => Promise<void>;

export const createDisconnect =
  ({ changes, recordChange, cancelRuns, now }: DisconnectDependencies): Disconnect =>
  async (context, { connectionId, ...cause } = {}) => {
    const { organizationId, source } = context;
    const by = { source, ...requesterFields(context), ...cause, at: now() };
    const { outcome, unrecorded } = await changes.disconnect(organizationId, by, connectionId);
    for (const change of unrecorded) await recordChange(organizationId, change);
    if (outcome !== "another") await cancelRuns(organizationId);
  };

type ByUserDependencies = {
  disconnect: Disconnect;
  connections: Pick<ConnectionStore, "read">;
  secrets: Pick<ConnectionSecrets, "openCredentials">;
  registration: Pick<WebhookRegistration, "remove">;
  provider: Pick<ProviderAccess, "flush">;
  settleKeyAlerts(organizationId: string): Promise<void>;
};

/**
 * DELETE …/connection: also removes the endpoint at the provider that `registerWebhook` created, once the connection is
 * gone. A failure there is a log line, as the provider's dashboard can remove the endpoint.
 */
export const createDisconnectByUser = (dependencies: ByUserDependencies) => {
  const { disconnect, connections, secrets, registration, provider, settleKeyAlerts } = dependencies;

  /** The disconnect destroys the credentials, so they are opened before. */
  const openRegistered = async (organizationId: string) => {
    const before = await connections.read(organizationId);
    if (before.status !== "connected" || before.webhookEndpointId === undefined) return undefined;
    const { webhookEndpointId: endpointId, accountId, credentials } = before;
    try {
      return { endpointId, accountId, secret: await secrets.openCredentials(organizationId, credentials) };
    } catch (error) {
      writeLog("warn", "The webhook endpoint stays at the provider", { endpointId, cause: String(error) });
      return undefined;
    }
  };

  return async (request: UserRequest): Promise<void> => {
    const context = contextOfUser(request);
    const registered = await openRegistered(context.organizationId);
    await disconnect(context, { requestId: request.origin.requestId });
    await settleKeyAlerts(context.organizationId);
    if (registered === undefined) return;
    const { secret, endpointId, accountId } = registered;
    await registration.remove(secret, [endpointId], { ...context, accountId });
    await provider.flush();
  };
};
