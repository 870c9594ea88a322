/** The door for all who work with an organization's account: its connection, and credentials that look after themselves. */
import type { Credentials, OperationContext } from "../provider/provider.ts";
import type { ConnectedItem } from "./connection-item.ts";
import { createCredentials } from "./credentials.ts";
import { createRefresh, notConnected, type RefreshParts } from "./refresh.ts";

/** On whose behalf, besides the organization: what the events of a refresh say. */
export type OpeningContext = Omit<OperationContext, "organizationId" | "accountId" | "isConnecting">;

/** @throws DomainError `not_connected`, `store_unavailable`. */
export type OpenConnection = (
  organizationId: string,
  context?: OpeningContext,
) => Promise<{ connection: ConnectedItem; credentials: Credentials }>;

/** Reads strongly (one read unit) and opens the credentials (one call of KMS), once for a whole piece of work. */
export const createOpenConnection =
  (parts: RefreshParts): OpenConnection =>
  async (organizationId, context = { source: "system" }) => {
    const connection = await parts.connections.read(organizationId);
    if (connection.status !== "connected") throw notConnected();
    const secret = await parts.secrets.openCredentials(organizationId, connection.credentials);
    const { read, refresh, giveUp } = createRefresh({ ...context, organizationId }, parts);
    const credentials = createCredentials(
      { ...connection, secret },
      { read: () => read(connection.accountId), refresh, giveUp, now: parts.now },
    );
    return { connection, credentials };
  };
