/**
 * Opens an organization's connection for a piece of work: the stored connection, and credentials that refresh
 * themselves. docs/connection.md, "Rejected credentials" and "Tokens".
 */
import type { Credentials, OperationContext } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import type { ConnectedItem, ReconnectReason } from "./connection-item.ts";
import { bearerOf, type Secret } from "./connection-secrets.ts";
import { notConnected } from "./connection-writer.ts";
import { keyOf } from "./key.ts";
import { lacksKeyAlert } from "./key-alerts.ts";
import type { KeyStore } from "./key-store.ts";
import { mustNoteAccepted } from "./platform-events.ts";
import { createRefresh, type OpenedConnection, type RefreshDependencies } from "./refresh.ts";

/** A token is replaced this long before it expires. */
const REFRESH_AHEAD_MS = 5 * 60_000;

/** Pause after a failed refresh of a token that has not expired yet. */
const RETRY_AFTER_MS = 30_000;

type CredentialsDependencies = {
  /** The connection as stored now; undefined if the account is no longer connected. */
  read(): Promise<OpenedConnection | undefined>;
  /**
   * Exchanges the tokens, or waits for the instance that does (refresh.ts).
   * @throws DomainError `not_connected` if the account must be connected again; the error of the token endpoint.
   */
  refresh(opened: OpenedConnection): Promise<OpenedConnection>;
  /** Asks once more about a rejected API key (refresh.ts). Undefined if the provider did not judge it now. */
  confirm(opened: OpenedConnection): Promise<OpenedConnection | undefined>;
  /** Sets `needs_reconnect` (refresh.ts). @throws DomainError `not_connected` unless there are newer credentials. */
  giveUp(opened: OpenedConnection, reason: ReconnectReason): Promise<OpenedConnection>;
  /** Stores that the provider has accepted the API key. Never throws. @param at epoch ms. */
  noteAccepted(opened: OpenedConnection, at: number): Promise<void>;
  now: Clock;
};

const isNotConnected = (error: unknown): boolean => error instanceof DomainError && error.code === "not_connected";

const connectionEnded = (cause?: unknown) =>
  new ProviderError("The provider rejects the connection's credentials; the account must be connected again.", {
    kind: "authentication",
    outcome: "failure",
    isRetryable: false,
    reason: "connection_ended",
    status: 401,
    code: "connection_ended",
    cause,
  });

/** Credentials for a whole piece of work: kept in memory, read again when the provider rejects them. */
const createCredentials = (
  first: OpenedConnection,
  { read, refresh, confirm, giveUp, noteAccepted, now }: CredentialsDependencies,
): Credentials => {
  let opened = first;
  /** The token that replaced a rejected one. If it is rejected too, another exchange does not help. */
  let replacement: string | undefined;
  let refreshing: Promise<void> | undefined;
  let confirming: Promise<OpenedConnection | undefined> | undefined;
  /** Epoch ms: no refresh before this time, because the last one failed. */
  let retryAt = 0;

  const expiresWithin = (ms: number): boolean =>
    opened.tokenExpiresAt !== undefined && opened.tokenExpiresAt <= now() + ms;

  /** Concurrent callers in this process share one exchange. */
  const refreshOnce = (): Promise<void> => {
    refreshing ??= refresh(opened)
      .then((refreshed) => {
        opened = refreshed;
      })
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };

  /** Concurrent callers in this process share one call. */
  const confirmOnce = (): Promise<OpenedConnection | undefined> => {
    confirming ??= confirm(opened).finally(() => {
      confirming = undefined;
    });
    return confirming;
  };

  /** What to try in place of a rejected secret that is the stored one; undefined if there is nothing. */
  const replace = async (secret: string): Promise<string | undefined> => {
    if (opened.secret.method === "api_key") {
      const confirmed = await confirmOnce();
      if (confirmed !== undefined) opened = confirmed;
      return confirmed && bearerOf(confirmed.secret);
    }
    if (secret === replacement) {
      opened = await giveUp(opened, "token_refused");
      return bearerOf(opened.secret);
    }
    await refreshOnce();
    replacement = bearerOf(opened.secret);
    return replacement;
  };

  return {
    async current() {
      if (expiresWithin(0) || (expiresWithin(REFRESH_AHEAD_MS) && now() >= retryAt)) {
        try {
          await refreshOnce();
        } catch (error) {
          // The token has not expired yet: use it although the token endpoint fails.
          if (isNotConnected(error) || expiresWithin(0)) throw error;
          retryAt = now() + RETRY_AFTER_MS;
        }
      }
      return bearerOf(opened.secret);
    },

    async accepted() {
      const at = now();
      if (!mustNoteAccepted({ method: opened.secret.method, ...opened }, at)) return;
      const accepted = opened;
      // Before the call, so that concurrent callers in this process share it; if it fails, another piece of work tries.
      opened = { ...opened, acceptedAt: at };
      await noteAccepted(accepted, at);
    },

    async refused(secret) {
      if (secret !== bearerOf(opened.secret)) return bearerOf(opened.secret);
      const stored = await read();
      if (stored === undefined) throw connectionEnded();
      // Another caller may have replaced the token during the read.
      if (secret !== bearerOf(opened.secret)) return bearerOf(opened.secret);
      opened = stored;
      if (secret !== bearerOf(stored.secret)) return bearerOf(stored.secret);
      try {
        return await replace(secret);
      } catch (error) {
        throw isNotConnected(error) ? connectionEnded(error) : error;
      }
    },
  };
};

/** Who works with the account, in addition to the organization: the events of a refresh name them. */
type OpeningContext = Omit<OperationContext, "organizationId" | "accountId" | "isConnecting">;

/** @throws DomainError `not_connected`, `store_unavailable`. */
export type OpenConnection = (
  organizationId: string,
  context?: OpeningContext,
) => Promise<{ connection: ConnectedItem; credentials: Credentials }>;

/**
 * Enters a connection by OAuth that has no entry, once. One by API key enters when the provider accepts the key. A failure
 * does not stop the work: the next one tries again.
 */
const enterDirectory = async (
  organizationId: string,
  connection: ConnectedItem,
  changes: RefreshDependencies["changes"],
  now: number,
): Promise<void> => {
  try {
    await changes.enterDirectory(organizationId, connection, now);
  } catch (error) {
    writeLog("warn", "Entering a connection into the directory of accounts failed", { cause: String(error) });
  }
};

/** What the key is, and its missing alerts. A failure does not stop the work: the next one tries again. */
const watchKey = async (
  organizationId: string,
  connection: ConnectedItem,
  secret: Secret,
  { keys, settleKeyAlerts, now }: OpeningDependencies,
): Promise<void> => {
  try {
    const { key = secret.method === "api_key" ? keyOf(secret, { since: connection.connectedAt }) : undefined } =
      connection;
    if (key === undefined) return;
    if (connection.key === undefined) await keys.describe(organizationId, connection, key);
    if (lacksKeyAlert(key, connection.keyAlerts, now())) await settleKeyAlerts(organizationId);
  } catch (error) {
    writeLog("warn", "The alerts about a key are not up to date", { cause: String(error) });
  }
};

type OpeningDependencies = RefreshDependencies & {
  keys: Pick<KeyStore, "describe">;
  settleKeyAlerts(organizationId: string): Promise<void>;
};

/** One strongly consistent read (one read unit) and one KMS call for a whole piece of work. */
export const createOpenConnection =
  (dependencies: OpeningDependencies): OpenConnection =>
  async (organizationId, context = { source: "system" }) => {
    const { changes, now } = dependencies;
    const connection = await dependencies.connections.read(organizationId);
    if (connection.status !== "connected") throw notConnected();
    if (connection.entryOf === undefined && connection.method === "oauth")
      await enterDirectory(organizationId, connection, changes, now());
    const secret = await dependencies.secrets.openCredentials(organizationId, connection.credentials);
    await watchKey(organizationId, connection, secret, dependencies);
    const { read, ...calls } = createRefresh({ ...context, organizationId }, dependencies);
    const noteAccepted = (accepted: OpenedConnection, at: number): Promise<void> =>
      changes.noteAccepted(organizationId, accepted, at).catch((error: unknown) => {
        writeLog("warn", "Storing that the provider accepted an API key failed", { cause: String(error) });
      });
    const credentials = createCredentials(
      { ...connection, secret },
      { read: () => read(connection.accountId), ...calls, noteAccepted, now },
    );
    return { connection, credentials };
  };
