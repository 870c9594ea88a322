/** The connection as clients see it, from what is stored of it and around it. */
import type { Connection } from "./connection.ts";
import type { StoredConnection } from "./connection-item.ts";

export type ViewParts = {
  /** When the organization's last run that succeeded ended, in epoch ms. */
  lastSuccess(organizationId: string): Promise<number | undefined>;
  /** Requests that read from the provider this month. */
  readsThisMonth(organizationId: string): Promise<number>;
  /** The base of the webhooks' URL, without a slash at the end; none where there is no such URL. */
  webhookUrl: string | undefined;
};

/** What is seen of a connection by itself. */
type Seen = { status: StoredConnection["status"] } & Partial<
  Pick<Connection, "method" | "accountId" | "connectedAt" | "tokenExpiresAt">
>;

export type ViewConnection = (organizationId: string, stored: Seen) => Promise<Connection>;

/** What GET …/connection does. */
export type ShowConnection = (organizationId: string) => Promise<Connection>;

const ownFields = ({ status, method, accountId, connectedAt, tokenExpiresAt }: Seen): Connection => ({
  status,
  ...(method !== undefined && { method }),
  ...(accountId !== undefined && { accountId }),
  ...(connectedAt !== undefined && { connectedAt }),
  ...(tokenExpiresAt !== undefined && { tokenExpiresAt }),
});

/** @throws what the reads throw. */
export const createViewConnection =
  ({ lastSuccess, readsThisMonth, webhookUrl }: ViewParts): ViewConnection =>
  async (organizationId, stored) => {
    const [lastSyncAt, reads] = await Promise.all([lastSuccess(organizationId), readsThisMonth(organizationId)]);
    return {
      ...ownFields(stored),
      ...(webhookUrl !== undefined && { webhookUrl: `${webhookUrl}/${encodeURIComponent(organizationId)}` }),
      ...(lastSyncAt !== undefined && { lastSyncAt }),
      ...(reads > 0 && { readsThisMonth: reads }),
    };
  };
