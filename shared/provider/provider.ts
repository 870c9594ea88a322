/**
 * The port to the payment provider, in the domain's words; read this file first. An adapter implements it for one
 * provider (stripe/). Only the adapter knows the provider's own names. docs/provider.md.
 */
import type { ObjectDeleted, ObjectState, Observation, ObservedAt, PaymentLinked } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";
import type { SetAside } from "../records/set-aside.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import type { MoneyFact } from "./money-fact.ts";

/** The most objects that one list call returns. */
export const PAGE_SIZE = 100;

/** An event of the provider. `observations` is empty if the event does not concern our records. */
export type ProviderEvent = {
  /** Can be stored; made of the provider's id if that cannot. */
  id: string;
  /** The provider's event type. */
  type: string;
  /** Epoch seconds of the provider's clock. Several events may share a second; their order is not known. */
  createdSeconds: number;
  observations: readonly Observation[];
  /** The event's objects that cannot be stored. */
  setAside?: readonly SetAside[];
  /** The account revoked our access. */
  isDeauthorization: boolean;
  /** What is counted of the event; absent if it is not about money. */
  money?: MoneyFact;
};

/**
 * A page of a list, newest first. `next` is the cursor of the next page; undefined at the end. `setAside`: the objects
 * of the page that cannot be stored.
 */
export type ProviderPage<Item> = {
  items: readonly Item[];
  next: string | undefined;
  setAside?: readonly SetAside[];
};

export type Account = { accountId: string };

/** Tokens of an OAuth exchange. `accountId`, `isLive`: only if the provider returns them with the tokens. */
export type Tokens = { accessToken: string; refreshToken: string; accountId?: string; isLive?: boolean };

/**
 * The provider's account that the credentials belong to. Through `ProviderAccess.open` each method is one operation: up
 * to 3 attempts within 10 s, and one security event. Through `ProviderAdapter.at` each method is one request.
 * @throws ProviderError (all methods); CircuitOpenError if the circuit lets no call through.
 */
export type Provider = {
  readAccount(): Promise<Account>;

  /**
   * A page of all objects of a type, newest first, cancelled ones included.
   * @param createdUntil epoch seconds: excludes objects that were created later.
   * @throws ProviderError `missing` if the object that `after` names no longer exists.
   */
  listObjects(
    type: RecordType,
    page: { after?: string | undefined; createdUntil?: number | undefined },
  ): Promise<ProviderPage<ObjectState>>;

  /** The current state of an object; `deleted` even if the object does not exist. */
  readObject(type: RecordType, id: string): Promise<ObjectState | ObjectDeleted>;

  /** Which payments belong to which invoices; undefined if the provider has no such list. */
  listPaymentLinks(page: { after?: string | undefined }): Promise<ProviderPage<PaymentLinked> | undefined>;

  /**
   * A page of the event feed, newest first, all types. `observedAt` is the time at which the provider read the page.
   * @param since epoch seconds, inclusive.
   * @param limit 1–100.
   */
  listEvents(page: {
    since?: number | undefined;
    after?: string | undefined;
    limit?: number;
  }): Promise<ProviderPage<ProviderEvent> & { observedAt?: ObservedAt }>;
};

/**
 * The endpoints at the provider that receive the account's events. Through `ProviderAccess.openWebhookEndpoints` each
 * method is one operation, through `ProviderAdapter.webhookEndpointsAt` one request.
 * @throws ProviderError (all methods); CircuitOpenError if the circuit lets no call through.
 */
export type WebhookEndpoints = {
  /**
   * `isCurrent`: the endpoint is enabled and sends all events that the service reads, in the form that it reads. `missing`:
   * the types of events that it does not send.
   */
  list(): Promise<readonly { id: string; url: string; isCurrent: boolean; missing: readonly string[] }[]>;
  /** `secret` signs the endpoint's deliveries. The provider returns it here only, also for a repeated idempotency key. */
  create(endpoint: { url: string; idempotencyKey: string }): Promise<{ id: string; secret: string }>;
  /** Enables an endpoint, and has it send all events that the service reads. It keeps its secret. */
  update(id: string): Promise<void>;
  /** Also resolves if the endpoint does not exist. */
  remove(id: string): Promise<void>;
};

/** Who did something to the account. `email` of a user, `apiKeyId` of a key; a key's id is no secret. */
export type ActivityActor = { type: string; email?: string; apiKeyId?: string };

/**
 * Something that happened to the account, as the provider's log has it. `occurredAt`: epoch ms. `details`: the provider's
 * fields of its kind, `details.type`, as far as they are plain values.
 */
export type AccountActivity = {
  id: string;
  type: string;
  occurredAt: number;
  actor: ActivityActor;
  details: Readonly<Record<string, unknown>>;
};

/**
 * The provider's log of what happened to the account. Through `ProviderAccess.openActivityLog` the method is one operation,
 * through `ActivityLogAdapter` one request.
 */
export type ActivityLog = {
  /**
   * A page of the entries, in an order that the provider does not promise.
   * @param page.after `next` of the page before.
   * @throws ProviderError `not_permitted` if these credentials may not read the log, or not from this page on;
   *   CircuitOpenError if the circuit lets no call through.
   */
  list(page: { after?: string | undefined }): Promise<ProviderPage<AccountActivity>>;
};

/** What an organization sets up at the provider by hand, in the provider's own names. */
export type ProviderSetup = {
  /** Its name, and the pages where an administrator makes keys and webhook endpoints. */
  provider: { name: string; apiKeysUrl: string; webhooksUrl: string };
  /** The event types to subscribe a webhook endpoint to. */
  eventTypes: readonly string[];
  /** The permissions that a restricted API key needs. `name`: as the provider's answers name it. */
  keyPermissions: readonly {
    resource: string;
    access: "read" | "write";
    name: string;
    requiredFor: "sync" | "webhook_registration";
  }[];
  /** The name of the permission to read each type of records. */
  readPermissions: Readonly<Record<RecordType, string>>;
};

/** The secret of an organization's connection: an API key, or an access token that can be refreshed. */
export type Credentials = {
  /** The secret to use now. A token that has expired, or soon will, is refreshed first. */
  current(): Promise<string>;
  /**
   * Reports a secret that the provider rejected (401).
   * @returns a secret to try once: refreshed now, stored concurrently by another invocation, or the same if the provider
   *   accepts it after all; undefined if there is none.
   * @throws ProviderError `connection_ended` if the connection has ended or must be made again.
   */
  refused(secret: string): Promise<string | undefined>;
  /** Reports that the provider has accepted the secret. Never throws. */
  accepted?(): Promise<void>;
};

/** The organization and user that an operation is made for, as its security event records them. */
export type OperationContext = {
  organizationId: string;
  source: SecurityEvent["source"];
  userId?: string;
  sessionId?: string;
  ipAddress?: string;
  userAgent?: string;
  /** The provider's account, if it is known already. */
  accountId?: string;
  /** The sync run that the operation is part of. */
  runId?: string;
  /** The credentials are being tried: a rejection of them is neutral to the circuit. */
  isConnecting?: boolean;
};

/** The only way to the provider. shared/wiring/provider.ts makes that of a deployed function. */
export type ProviderAccess = {
  /** The provider with these credentials. Its first operation reads the circuit from the store, not from the cache. */
  open(credentials: Credentials, context: OperationContext): Provider;

  /** The account's webhook endpoints with these credentials. */
  openWebhookEndpoints(credentials: Credentials, context: OperationContext): WebhookEndpoints;

  /** The account's log of activity with these credentials. */
  openActivityLog(credentials: Credentials, context: OperationContext): ActivityLog;

  /**
   * Exchanges an authorization code, in one request. It is never repeated: a code can be used once, and a second use may
   * revoke the tokens of the first.
   * @throws ProviderError `invalid_grant` if the provider rejects the code; CircuitOpenError.
   */
  exchangeCode(code: string, context: OperationContext): Promise<Tokens>;

  /**
   * Exchanges a refresh token, in one request; the old token is invalid afterwards. The caller records it
   * (PROVIDER_TOKEN_REFRESH).
   * @throws ProviderError `invalid_grant` if the provider rejects the token; CircuitOpenError.
   */
  refreshTokens(refreshToken: string, context: OperationContext): Promise<Tokens>;

  /**
   * Whether the provider accepts a secret that it has rejected once: one read of the account through the circuit, without
   * retries and without an event.
   * @throws ProviderError, CircuitOpenError if the provider did not judge the secret.
   */
  acceptsSecret(secret: string, context: OperationContext): Promise<boolean>;

  /** Whether the organization's circuit is half open after the operations so far: one more success may close it. */
  isHalfOpen(organizationId: string): boolean;

  /** Sends all counts; to be awaited at the end of each invocation. Never throws. */
  flush(): Promise<void>;
};

/** The secret of a request, and the signal that aborts the request. */
export type RequestOptions = { secret: string; signal: AbortSignal };

/** The grant that is exchanged for tokens. */
export type Grant = { code: string } | { refreshToken: string };

/** The provider's OAuth. */
export type OAuthAdapter = {
  /**
   * @param options.secret the platform's own.
   * @throws ProviderError `invalid_grant` if the provider rejects the code or token; 401 if it rejects the secret.
   */
  exchange(grant: Grant, options: RequestOptions): Promise<Tokens>;
};

/** The port implemented for one provider: single requests. create-provider-access.ts makes operations of them. */
export type ProviderAdapter = {
  /** Each method makes exactly one request. All throw ProviderError. */
  at(options: RequestOptions): Provider;
  webhookEndpointsAt(options: RequestOptions): WebhookEndpoints;
  oauth: OAuthAdapter;
};

/** Apart from the others: only the function that reads the log has it in its bundle. */
export type ActivityLogAdapter = (options: RequestOptions) => ActivityLog;
