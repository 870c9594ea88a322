/**
 * The port to the payment provider, in the domain's words. An adapter implements it for one provider (stripe/);
 * nothing else knows the provider's own names. docs/provider.md.
 */
/** How the service gets at the provider: with whose credentials, and on whose behalf. */
/** What one provider's adapter is: the port's methods as single requests. create-provider-access.ts makes operations of them. */
import type { ObjectDeleted, ObjectState, Observation, PaymentLinked, SeenAt } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";
import type { SecurityEvent } from "../security/security-event.ts";

/** Objects that one list call gives at most. */
export const PAGE_SIZE = 100;

/** An event of the provider: that something happened. `observations` is empty where it is none of our business. */
export type ProviderEvent = {
  id: string;
  /** The provider's word for it. */
  type: string;
  /** Epoch seconds of the provider's clock; several events may share one, and their order is not known. */
  createdSeconds: number;
  observations: readonly Observation[];
  /** The account took our permission away. */
  isDeauthorization: boolean;
};

/** A page of a list, newest first; `next` is where the next page starts after, undefined at the end. */
export type ProviderPage<Item> = { items: readonly Item[]; next: string | undefined };

export type Account = { accountId: string };

/** Tokens of an OAuth exchange; `accountId` where the provider says at once whose they are. */
export type Tokens = { accessToken: string; refreshToken: string; accountId?: string };

/**
 * The provider as one account's credentials see it. Each method is one operation: tried up to three times and for up
 * to 10 s, and recorded as one security event.
 * @throws ProviderError (all methods); CircuitOpenError where the circuit lets no call through.
 */
export type Provider = {
  readAccount(): Promise<Account>;

  /**
   * A page of all objects of a type, newest first, cancelled ones too.
   * @param createdUntil epoch seconds: leaves out what was created later.
   * @throws ProviderError `missing` where the object to start after is gone.
   */
  listObjects(
    type: RecordType,
    page: { after?: string | undefined; createdUntil?: number | undefined },
  ): Promise<ProviderPage<ObjectState>>;

  /** An object as it is now; `deleted` also where there is none. */
  readObject(type: RecordType, id: string): Promise<ObjectState | ObjectDeleted>;

  /** Which payments belong to which invoices; undefined where the provider has no such list. */
  listPaymentLinks(page: { after?: string | undefined }): Promise<ProviderPage<PaymentLinked> | undefined>;

  /**
   * A page of the event feed, newest first, every type; `seenAt` is when it was so, where that is known.
   * @param since epoch seconds, inclusive.
   * @param limit 1–100.
   */
  listEvents(page: {
    since?: number | undefined;
    after?: string | undefined;
    limit?: number;
  }): Promise<ProviderPage<ProviderEvent> & { seenAt?: SeenAt }>;
};

/** The secret of an organization's connection: an API key, or an access token that can be replaced. */
export type Credentials = {
  /** The secret to use now; one that has expired, or soon will, is replaced first. */
  current(): Promise<string>;
  /**
   * Told of a secret that the provider refused (401).
   * @returns one to try once more: refreshed, or stored by another meanwhile; undefined where there is none.
   */
  refused(secret: string): Promise<string | undefined>;
};

/** On whose behalf an operation is; its security event says so. */
export type OperationContext = {
  organizationId: string;
  source: SecurityEvent["source"];
  userId?: string;
  sessionId?: string;
  ipAddress?: string;
  userAgent?: string;
  /** The account, where it is known already. */
  accountId?: string;
  /** The sync run that the operation is part of. */
  runId?: string;
  /** The credentials are being tried: that they are refused says nothing about the provider (neutral to the circuit). */
  isConnecting?: boolean;
};

/** All functions' one way to the provider; shared/wiring/provider.ts has a deployed function's. */
export type ProviderAccess = {
  /** The provider as these credentials see it. Its first operation reads the circuit as it is, and not from a copy. */
  open(credentials: Credentials, context: OperationContext): Provider;

  /**
   * Exchanges an authorization code, once: a code is good for one exchange, and repeating one that timed out may void
   * what the first one gave.
   * @throws ProviderError, `invalid_grant` where the code is refused; CircuitOpenError.
   */
  exchangeCode(code: string, context: OperationContext): Promise<Tokens>;

  /**
   * Exchanges a refresh token, once; the old one dies at it. Recorded by the caller (PROVIDER_TOKEN_REFRESH).
   * @throws ProviderError, `invalid_grant` where the token is refused; CircuitOpenError.
   */
  refreshTokens(refreshToken: string, context: OperationContext): Promise<Tokens>;

  /** Whether the organization's circuit is on trial after the operations so far: one more success may then close it. */
  isHalfOpen(organizationId: string): boolean;

  /** To be awaited at the end of each invocation: sends what was counted. Never throws. */
  flush(): Promise<void>;
};

/** With which secret a request is made; it is given up when the signal is aborted. */
export type RequestOptions = { secret: string; signal: AbortSignal };

/** What tokens are given for. */
export type Grant = { code: string } | { refreshToken: string };

/** The provider's OAuth, with the platform's own credentials. */
export type OAuthAdapter = {
  /** @throws ProviderError, `invalid_grant` where the code or token is refused. */
  exchange(grant: Grant, signal: AbortSignal): Promise<Tokens>;
};

export type ProviderAdapter = {
  /** The port, where each call of a method is exactly one request on the wire. All throw ProviderError. */
  at(options: RequestOptions): Provider;
  /** Undefined while the platform has no credentials of its own. */
  oauth: OAuthAdapter | undefined;
};
