/** The credentials of an open connection, for all of a piece of work: kept in memory, read again when they are refused. */
import type { Credentials } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { ConnectedItem } from "./connection-item.ts";
import { bearerOf, type Secret } from "./connection-secrets.ts";

/** Decisions: an access token counts as valid for so long from its exchange. */
export const TOKEN_LIFE_MS = 3_600_000;

/** So long before its end a token is replaced. */
export const REFRESH_AHEAD_MS = 5 * 60_000;

/** A refresh ahead of time that failed is tried again after so long. */
const RETRY_AFTER_MS = 30_000;

/** A connection whose credentials are open. */
export type OpenedConnection = Pick<
  ConnectedItem,
  "connectionId" | "accountId" | "credentialsVersion" | "tokenExpiresAt"
> & { secret: Secret };

export type CredentialsParts = {
  /** The connection as it is stored now; undefined where the account is not connected any more. */
  read(): Promise<OpenedConnection | undefined>;
  /**
   * Exchanges the tokens, or waits for who does; refresh.ts.
   * @throws DomainError `not_connected` where no exchange can help; what the provider's token endpoint threw.
   */
  refresh(opened: OpenedConnection): Promise<OpenedConnection>;
  /** Says that the connection must be made anew: a token fresh from an exchange was refused. */
  giveUp(opened: OpenedConnection): Promise<void>;
  now: Clock;
};

const isNotConnected = (error: unknown): boolean => error instanceof DomainError && error.code === "not_connected";

/**
 * An API key that is refused stays refused: the circuit protects the provider from it, and the connection is not said
 * to need another, since it may be the provider's trouble. Only of tokens is that known (docs/connection.md).
 */
export const createCredentials = (
  first: OpenedConnection,
  { read, refresh, giveUp, now }: CredentialsParts,
): Credentials => {
  let opened = first;
  /** The token that took the place of a refused one: refused in turn, it shows that exchanges do not help. */
  let replacement: string | undefined;
  let refreshing: Promise<void> | undefined;
  /** Epoch ms: a refresh ahead of time failed, and is not tried again before. */
  let retryAt = 0;

  const expiresWithin = (ms: number): boolean =>
    opened.tokenExpiresAt !== undefined && opened.tokenExpiresAt <= now() + ms;

  /** One exchange for all who wait for one in this process. */
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

  /** The refused token was the stored one: undefined where no other can be had. */
  const replace = async (secret: string): Promise<string | undefined> => {
    if (opened.secret.method === "api_key") return undefined;
    if (secret === replacement) {
      await giveUp(opened);
      return undefined;
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
          // A token that still lives is used, whatever the token endpoint's trouble.
          if (isNotConnected(error) || expiresWithin(0)) throw error;
          retryAt = now() + RETRY_AFTER_MS;
        }
      }
      return bearerOf(opened.secret);
    },

    async refused(secret) {
      if (secret !== bearerOf(opened.secret)) return bearerOf(opened.secret);
      const stored = await read();
      if (stored === undefined) return undefined;
      // Others may have got on while this one read.
      if (secret !== bearerOf(opened.secret)) return bearerOf(opened.secret);
      opened = stored;
      if (secret !== bearerOf(stored.secret)) return bearerOf(stored.secret);
      try {
        return await replace(secret);
      } catch (error) {
        if (isNotConnected(error)) return undefined;
        throw error;
      }
    },
  };
};
