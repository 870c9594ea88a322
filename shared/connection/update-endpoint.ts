/**
 * PUT …/connection/webhook-endpoint: has the endpoint that `registerWebhook` made send all events that this version reads,
 * with the stored key. docs/connection.md, "Registering the webhook".
 */
import type { ProviderAccess } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { UserRequest } from "../terms/requester.ts";
import { withClientErrors } from "./connect.ts";
import type { Connection, ViewConnection } from "./connection.ts";
import { contextOfUser } from "./connection-events.ts";
import type { ConnectionSecrets } from "./connection-secrets.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { notConnected } from "./connection-writer.ts";
import { checkOf } from "./endpoint-check.ts";
import type { EndpointCheckStore } from "./endpoint-check-store.ts";
import type { WebhookRegistration } from "./webhook-registration.ts";

type Dependencies = {
  connections: Pick<ConnectionStore, "read">;
  secrets: Pick<ConnectionSecrets, "openCredentials">;
  registration: Pick<WebhookRegistration, "update">;
  checks: Pick<EndpointCheckStore, "note">;
  provider: Pick<ProviderAccess, "flush">;
  view: ViewConnection;
  now: Clock;
};

/**
 * Repeatable. The returned function throws DomainError `not_connected`, `webhook_not_registered` if there is no such
 * endpoint or the provider refuses the change, `credentials_refused`, `circuit_open`, `provider_unavailable`,
 * `store_unavailable`.
 */
export const createUpdateEndpoint =
  ({ connections, secrets, registration, checks, provider, view, now }: Dependencies) =>
  async (request: UserRequest): Promise<Connection> => {
    const { organizationId } = request.caller;
    const stored = await connections.read(organizationId);
    if (stored.status !== "connected") throw notConnected();
    const { webhookEndpointId: of, accountId } = stored;
    if (of === undefined) {
      throw new DomainError("webhook_not_registered", "There is no endpoint to update: connect with registerWebhook.");
    }
    const secret = await secrets.openCredentials(organizationId, stored.credentials);
    // Before the change, so that the provider's entry about it is known to be ours, whatever happens in between.
    const { missing = [], at = stored.connectedAt } = checkOf(stored) ?? {};
    await checks.note(organizationId, stored, { of, missing, at, changedAt: now() });
    try {
      await withClientErrors(() => registration.update(secret, of, { ...contextOfUser(request), accountId }));
    } finally {
      await provider.flush();
    }
    await checks.note(organizationId, stored, { of, missing: [], at: now(), changedAt: now() });
    return view(organizationId, await connections.read(organizationId));
  };
