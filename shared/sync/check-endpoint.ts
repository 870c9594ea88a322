/**
 * Looks once a day at the webhook endpoint that `registerWebhook` made: which events it does not send.
 * docs/connection.md, "Registering the webhook".
 */
import { effectiveState } from "../circuit-breaker/circuit.ts";
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import { checkOf, isCheckDue } from "../connection/endpoint-check.ts";
import type { EndpointCheckStore } from "../connection/endpoint-check-store.ts";
import type { OpenConnection } from "../connection/open-connection.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { ProviderAccess, WebhookEndpoints } from "../provider/provider.ts";
import { isUnreadable } from "../provider/provider-error.ts";
import type { Clock } from "../runtime/clock.ts";
import { failureOf } from "./sync-failure.ts";

export type CheckEndpointDependencies = {
  connections: Pick<ConnectionStore, "read">;
  circuits: Pick<CircuitStore, "read">;
  openConnection: OpenConnection;
  access: Pick<ProviderAccess, "openWebhookEndpoints" | "flush">;
  checks: Pick<EndpointCheckStore, "note">;
  /** The types of events that the service reads. */
  eventTypes: readonly string[];
  clock: Clock;
};

export type CheckEndpoint = (organizationId: string) => Promise<{ isChecked: boolean }>;

/** The types that an endpoint does not send; undefined if the key may not read endpoints any more. */
const missingAt = async (
  endpoints: WebhookEndpoints,
  id: string,
  eventTypes: readonly string[],
): Promise<readonly string[] | undefined> => {
  try {
    const found = (await endpoints.list()).find((endpoint) => endpoint.id === id);
    return found === undefined ? eventTypes : found.missing;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
};

/**
 * Repeated within the day, it costs one read unit. A failed call is repeated in the next hour, a refused one the next day.
 * The returned function throws DomainError `store_unavailable`.
 */
export const createCheckEndpoint =
  (dependencies: CheckEndpointDependencies): CheckEndpoint =>
  async (organizationId) => {
    const { connections, circuits, openConnection, access, checks, eventTypes, clock } = dependencies;
    const stored = await connections.read(organizationId);
    if (stored.status !== "connected" || stored.webhookEndpointId === undefined) return { isChecked: false };
    const { webhookEndpointId: of, accountId } = stored;
    const before = checkOf(stored);
    if (!isCheckDue(before, clock())) return { isChecked: false };
    if (effectiveState(await circuits.read(organizationId), clock()).state === "open") return { isChecked: false };
    try {
      const { credentials } = await openConnection(organizationId);
      const context = { organizationId, source: "system" as const, accountId };
      const missing = await missingAt(access.openWebhookEndpoints(credentials, context), of, eventTypes);
      const { missing: known = [], changedAt } = before ?? {};
      const check = { of, missing: [...(missing ?? known)], at: clock(), ...definedFields({ changedAt }) };
      await checks.note(organizationId, stored, check);
      return { isChecked: true };
    } catch (error) {
      if (failureOf(error) === undefined) throw error;
      return { isChecked: false };
    } finally {
      await access.flush();
    }
  };
