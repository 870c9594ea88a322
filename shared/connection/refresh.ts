/**
 * Refreshing an organization's tokens, and giving up credentials that the provider rejects for good. An exchange
 * invalidates the refresh token, so one instance exchanges at a time, under a lease that names the exchanged credentials.
 * Others wait for the stored result. docs/connection.md, "Rejected credentials" and "Tokens".
 */
import { CircuitOpenError } from "../circuit-breaker/guard.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { OperationContext, ProviderAccess, Tokens } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import type { Recorder } from "../security/recorder.ts";
import type { ConnectionChangeStore } from "./connection-change-store.ts";
import {
  type RecordConnectionChange,
  reconnectChange,
  refreshedEvent,
  refreshFailedEvent,
} from "./connection-events.ts";
import type { ConnectedItem, ReconnectReason, StoredConnection } from "./connection-item.ts";
import { TOKEN_LIFE_MS } from "./connection-method.ts";
import { bearerOf, type ConnectionSecrets, type Secret } from "./connection-secrets.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { notConnected } from "./connection-writer.ts";
import { keyOf } from "./key.ts";
import type { RefreshStore } from "./secret-change-store.ts";

/** Longer than an exchange (10 s) and its writes: after this time the holder has crashed or given up. */
const LEASE_MS = 15_000;

/** Maximum wait for the holder of the lease; an operation has 10 s in all. */
const MAX_WAIT_MS = 8_000;

/** After an exchange, only this instance has the valid tokens. */
const STORE_ATTEMPTS = 6;

/** A connection with its credentials in plain text. */
export type OpenedConnection = Pick<
  ConnectedItem,
  "connectionId" | "accountId" | "connectedAt" | "credentialsVersion" | "tokenExpiresAt" | "acceptedAt" | "key"
> & { secret: Secret };

export type RefreshDependencies = {
  connections: Pick<ConnectionStore, "read">;
  changes: Pick<ConnectionChangeStore, "requireReconnect" | "enterDirectory" | "noteAccepted">;
  refreshes: RefreshStore;
  secrets: Pick<ConnectionSecrets, "sealCredentials" | "openCredentials">;
  provider: Pick<ProviderAccess, "refreshTokens" | "acceptsSecret">;
  recorder: Pick<Recorder, "record">;
  recordChange: RecordConnectionChange;
  now: Clock;
  /** Waits before the next read of the store or attempt of a write. */
  pause: (attempts: number) => Promise<void>;
  newToken: () => string;
};

/** Whether the exchange has ended: the provider rejected it, or it was not sent. */
const isOver = (error: unknown): boolean =>
  error instanceof DomainError || (error instanceof ProviderError && error.status !== undefined && error.status < 500);

/** For one organization's connection and one piece of work. */
export const createRefresh = (context: OperationContext, dependencies: RefreshDependencies) => {
  const { connections, changes, refreshes, secrets, provider, recorder, recordChange } = dependencies;
  const { now, pause, newToken } = dependencies;
  const { organizationId } = context;

  /** The connection with its credentials; undefined if it is no longer a connection to this account. */
  const open = async (stored: StoredConnection, accountId: string): Promise<OpenedConnection | undefined> => {
    if (stored.status !== "connected" || stored.accountId !== accountId) return undefined;
    return { ...stored, secret: await secrets.openCredentials(organizationId, stored.credentials) };
  };
  const read = async (accountId: string) => open(await connections.read(organizationId), accountId);

  /** The newer credentials that another instance stored. @throws DomainError `not_connected` if there are none. */
  const readNewer = async ({ accountId, credentialsVersion }: OpenedConnection, cause?: unknown) => {
    const found = await read(accountId);
    if (found === undefined || found.credentialsVersion === credentialsVersion) throw notConnected(cause);
    return found;
  };

  /**
   * Sets `needs_reconnect` and records it, once for these credentials.
   * @returns the newer credentials, if they were replaced concurrently.
   * @throws DomainError `not_connected` if there are none.
   */
  const giveUp = async (opened: OpenedConnection, reason: ReconnectReason, cause?: unknown) => {
    const failed = { ...opened, method: opened.secret.method };
    const change = reconnectChange(context, failed, { reason, at: now() });
    const unrecorded = await changes.requireReconnect(organizationId, opened, change);
    for (const one of unrecorded) await recordChange(organizationId, one);
    return readNewer(opened, cause);
  };

  /**
   * Asks once more about an API key that the provider rejected.
   * @returns the credentials to use: the same if the provider accepts them, or newer ones. Undefined if the provider did
   *   not judge them now.
   * @throws DomainError `not_connected` if the provider rejects the key again.
   */
  const confirm = async (opened: OpenedConnection): Promise<OpenedConnection | undefined> => {
    let isAccepted: boolean;
    try {
      isAccepted = await provider.acceptsSecret(bearerOf(opened.secret), { ...context, accountId: opened.accountId });
    } catch (error) {
      if (error instanceof ProviderError || error instanceof CircuitOpenError) return undefined;
      throw error;
    }
    return isAccepted ? opened : giveUp(opened, "api_key_refused");
  };

  /** Retries, because the old tokens are invalid and no other instance has the new ones. */
  const store = async (opened: OpenedConnection, renewed: OpenedConnection & { tokenExpiresAt: number }) => {
    for (let attempts = 1; ; attempts++) {
      try {
        const { secret, credentialsVersion, tokenExpiresAt, key } = renewed;
        const credentials = await secrets.sealCredentials(organizationId, secret);
        const tokens = { credentials, credentialsVersion, tokenExpiresAt, ...definedFields({ key }) };
        return await refreshes.storeTokens(organizationId, opened, tokens);
      } catch (error) {
        if (attempts < STORE_ATTEMPTS) await pause(attempts);
        else {
          writeLog("error", "Storing refreshed tokens failed", { alarm: "tokens_not_stored" });
          throw error;
        }
      }
    }
  };

  const succeed = async (opened: OpenedConnection, tokens: Tokens, startedAt: number): Promise<OpenedConnection> => {
    const { accessToken, refreshToken, isLive } = tokens;
    const secret = { method: "oauth" as const, accessToken, refreshToken };
    const renewed = {
      ...opened,
      secret,
      key: opened.key ?? keyOf(secret, { since: opened.connectedAt, isLive }),
      credentialsVersion: newToken(),
      tokenExpiresAt: startedAt + TOKEN_LIFE_MS,
    };
    const isStored = await store(opened, renewed);
    await recorder.record(refreshedEvent({ ...context, accountId: opened.accountId }, now() - startedAt));
    return isStored ? renewed : readNewer(opened);
  };

  const fail = async (opened: OpenedConnection, owner: string, startedAt: number, error: unknown) => {
    if (error instanceof ProviderError && error.reason === "invalid_grant") {
      return giveUp(opened, "invalid_grant", error);
    }
    // Without an answer, the exchange may still be under way: keep the lease, so that it is not repeated before its end.
    if (isOver(error)) await refreshes.endLease(organizationId, owner, startedAt).catch(() => undefined);
    if (error instanceof ProviderError) {
      const where = { ...context, accountId: opened.accountId };
      await recorder.record(refreshFailedEvent(where, now() - startedAt, error));
    }
    throw error;
  };

  const exchange = async (opened: OpenedConnection, owner: string): Promise<OpenedConnection> => {
    const startedAt = now();
    const { accountId, secret } = opened;
    if (secret.method !== "oauth") throw notConnected();
    let tokens: Tokens;
    try {
      tokens = await provider.refreshTokens(secret.refreshToken, { ...context, accountId });
    } catch (error) {
      return fail(opened, owner, startedAt, error);
    }
    return succeed(opened, tokens, startedAt);
  };

  const refresh = async (opened: OpenedConnection): Promise<OpenedConnection> => {
    const startedAt = now();
    for (let attempts = 0; ; attempts++) {
      const stored = await connections.read(organizationId);
      const found = stored.status === "connected" && stored.accountId === opened.accountId ? stored : undefined;
      if (found === undefined) throw notConnected();
      if (found.credentialsVersion !== opened.credentialsVersion) return readNewer(opened);
      const owner = newToken();
      const lease = { owner, now: now(), until: now() + LEASE_MS };
      const isFree = found.refreshUntil === undefined || found.refreshUntil <= lease.now;
      if (isFree && (await refreshes.takeLease(organizationId, opened, lease))) return exchange(opened, owner);
      if (now() - startedAt >= MAX_WAIT_MS) throw busy();
      await pause(attempts);
    }
  };

  return { read, refresh, confirm, giveUp };
};

const busy = () =>
  new ProviderError("Another instance is refreshing the tokens. Try again.", {
    kind: "network",
    outcome: "neutral",
    isRetryable: true,
  });
