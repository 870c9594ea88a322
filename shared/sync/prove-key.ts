/**
 * Proves an organization's API key by a read of the account, if no call has proved it lately. docs/connection.md,
 * "Platform events".
 */
import { effectiveState } from "../circuit-breaker/circuit.ts";
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { OpenConnection } from "../connection/open-connection.ts";
import { isProofDue } from "../connection/platform-events.ts";
import type { ProviderAccess } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { failureOf } from "./sync-failure.ts";

export type ProveKeyDependencies = {
  circuits: Pick<CircuitStore, "read">;
  openConnection: OpenConnection;
  access: Pick<ProviderAccess, "open" | "flush">;
  clock: Clock;
};

export type ProveKey = (organizationId: string) => Promise<{ isProved: boolean }>;

/**
 * Repeated, it makes no further call. An open circuit, a connection that has ended and a call that fails prove nothing:
 * resume-stalled-syncs asks again within the hour. Two read units; the call is an operation like any other.
 * @throws DomainError `store_unavailable`.
 */
export const createProveKey =
  ({ circuits, openConnection, access, clock }: ProveKeyDependencies): ProveKey =>
  async (organizationId) => {
    // The call would be refused, and leave an event each hour of the time that an operator holds the circuit open.
    if (effectiveState(await circuits.read(organizationId), clock()).state === "open") return { isProved: false };
    try {
      const { connection, credentials } = await openConnection(organizationId);
      if (!isProofDue(connection, clock())) return { isProved: false };
      const { accountId } = connection;
      // The operation itself notes that the provider has accepted the key.
      await access.open(credentials, { organizationId, source: "system", accountId }).readAccount();
      return { isProved: true };
    } catch (error) {
      if (failureOf(error) === undefined) throw error;
      return { isProved: false };
    } finally {
      await access.flush();
    }
  };
