/**
 * PUT …/connection: the provider verifies the credentials, then they are stored as a whole, and a sync starts. Nothing
 * is stored unless it is verified. docs/connection.md, "Connecting".
 */
import { CallTimeoutError } from "../circuit-breaker/guard.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { Account, OperationContext, ProviderAccess, Tokens } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import type { Connection, ViewConnection } from "./connection.ts";
import type { ConnectionChangeStore, NewConnection } from "./connection-change-store.ts";
import { type ConnectionUserRequest, contextOfUser, type RecordConnectionChange } from "./connection-events.ts";
import { TOKEN_LIFE_MS } from "./connection-method.ts";
import type { ConnectionRequest } from "./connection-request.ts";
import { bearerOf, type ConnectionSecrets, fixedCredentials, type Secret } from "./connection-secrets.ts";
import type { ConnectionStore } from "./connection-store.ts";
import { keyOf } from "./key.ts";
import type { OAuthStates } from "./oauth-state.ts";
import type { RegisteredWebhook, WebhookRegistration } from "./webhook-registration.ts";

const rejected = (cause?: unknown) =>
  new DomainError("credentials_refused", "The provider refuses the credentials. Nothing was stored.", { cause });

const isRejection = ({ reason, status }: ProviderError): boolean =>
  reason === "invalid_grant" || status === 401 || status === 403;

/**
 * The client's error for a failed call to the provider: `credentials_refused`, or `provider_unavailable` if the provider
 * did not judge the credentials. An open circuit and faults of the product stay as they are.
 */
const toClientError = (error: unknown): unknown => {
  if (error instanceof ProviderError && isRejection(error)) return rejected(error);
  if (!(error instanceof ProviderError || error instanceof CallTimeoutError)) return error;
  const retryAfterMs = error instanceof ProviderError ? error.retryAfterMs : undefined;
  return new DomainError("provider_unavailable", "The provider did not answer as it should. Try again.", {
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
  });
};

/** @throws what `toClientError` makes of a failed call to the provider. */
export const withClientErrors = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw toClientError(error);
  }
};

/** Verifies credentials with the provider. Both throw DomainError `credentials_refused`, `provider_unavailable`, … */
export const createVerification = (provider: Pick<ProviderAccess, "open" | "exchangeCode">) => ({
  /** The tokens of an authorization code, in one request. */
  exchange: (code: string, context: OperationContext): Promise<Tokens> =>
    withClientErrors(() => provider.exchangeCode(code, { ...context, isConnecting: true })),

  /**
   * The account of a secret.
   * @param context.accountId the expected account, if known.
   */
  readAccount: async (secret: string, context: OperationContext): Promise<Account> => {
    const opened = provider.open(fixedCredentials(secret), { ...context, isConnecting: true });
    const account = await withClientErrors(() => opened.readAccount());
    if (context.accountId !== undefined && context.accountId !== account.accountId) throw rejected();
    return account;
  },
});

type ConnectDependencies = {
  states: Pick<OAuthStates, "use">;
  verification: ReturnType<typeof createVerification>;
  provider: Pick<ProviderAccess, "flush">;
  secrets: Pick<ConnectionSecrets, "sealCredentials" | "sealWebhookSecrets">;
  connections: Pick<ConnectionStore, "read">;
  changes: Pick<ConnectionChangeStore, "connect">;
  registration: WebhookRegistration;
  /** Ends the runs of the previous connection. */
  cancelRuns(organizationId: string): Promise<void>;
  startFirstSync(request: ConnectionUserRequest): Promise<void>;
  settleKeyAlerts(organizationId: string): Promise<void>;
  recordChange: RecordConnectionChange;
  view: ViewConnection;
  now: Clock;
  /** A unique text. */
  newToken: () => string;
};

type Verified = Account & { secret: Secret; tokenExpiresAt?: number; isLive?: boolean | undefined };

/** Undefined keeps the secrets of the same account. */
const webhookSecretsOf = (
  { webhookSecret, webhookSecrets }: ConnectionRequest,
  registered: RegisteredWebhook | undefined,
): readonly string[] | undefined => {
  const one = webhookSecret ?? registered?.secret;
  return webhookSecrets ?? (one === undefined ? undefined : [one]);
};

/** For work that must not fail the request: a failure goes to the log only. */
const orElse = async <Result>(message: string, work: Promise<Result>, fallback: Result): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    writeLog("warn", message, { cause: error instanceof Error ? error.message : String(error) });
    return fallback;
  }
};

export const createConnect = (dependencies: ConnectDependencies) => {
  const { states, verification, provider, secrets, connections, changes, registration } = dependencies;
  const { recordChange, view, now, newToken } = dependencies;

  /** An exchange uses up the code. The state is released only if the provider may not have received the code. */
  const exchange = async (code: string, state: string, by: ConnectionUserRequest, context: OperationContext) => {
    const used = await states.use(by.caller, state);
    try {
      return await verification.exchange(code, context);
    } catch (error) {
      const isRejected = error instanceof DomainError && error.code === "credentials_refused";
      if (!isRejected) await orElse("Releasing an OAuth state failed", used.release(), undefined);
      throw error;
    }
  };

  const verify = async (request: ConnectionRequest, by: ConnectionUserRequest): Promise<Verified> => {
    const context = contextOfUser(by);
    if (request.method === "api_key") {
      const secret: Secret = { method: "api_key", apiKey: request.apiKey };
      return { ...(await verification.readAccount(bearerOf(secret), context)), secret };
    }
    const tokenExpiresAt = now() + TOKEN_LIFE_MS;
    const { accessToken, refreshToken, accountId, isLive } = await exchange(request.code, request.state, by, context);
    const secret: Secret = { method: "oauth", accessToken, refreshToken };
    const account = await verification.readAccount(accessToken, { ...context, ...definedFields({ accountId }) });
    return { ...account, secret, tokenExpiresAt, isLive };
  };

  /** The webhook's endpoint at the provider, if the request wants it. `readId`: of the connection that was stored then. */
  const register = async (
    { registerWebhook }: ConnectionRequest,
    { secret, accountId }: Verified,
    by: ConnectionUserRequest,
  ): Promise<(RegisteredWebhook & { readId: string | undefined }) | undefined> => {
    if (registerWebhook !== true) return undefined;
    const stored = await connections.read(by.caller.organizationId);
    const before = stored.status === "disconnected" ? undefined : stored;
    const ofAccount = before?.accountId === accountId ? before : undefined;
    const context = { ...contextOfUser(by), accountId };
    const registered = await withClientErrors(() => registration.register(secret, ofAccount, context));
    return { ...registered, readId: before?.connectionId };
  };

  const store = async (
    request: ConnectionRequest,
    { secret, accountId, tokenExpiresAt, isLive }: Verified,
    registered: RegisteredWebhook | undefined,
    by: ConnectionUserRequest,
    startedAt: number,
  ) => {
    const { isConnecting: _, organizationId, ...who } = contextOfUser(by);
    const webhookSecrets = webhookSecretsOf(request, registered);
    const connectedAt = now();
    const connection: NewConnection = {
      connectionId: newToken(),
      method: secret.method,
      accountId,
      connectedAt,
      key: keyOf(secret, { since: connectedAt, isLive }),
      credentials: await secrets.sealCredentials(organizationId, secret),
      credentialsVersion: newToken(),
      ...definedFields({
        tokenExpiresAt,
        acceptedAt: secret.method === "api_key" ? connectedAt : undefined,
        webhookEndpointId: registered?.endpointId,
        endpointCheck: registered && { of: registered.endpointId, missing: [], at: connectedAt },
        webhookSecrets:
          webhookSecrets &&
          (await secrets.sealWebhookSecrets(
            organizationId,
            webhookSecrets.map((secret) => ({ secret })),
          )),
      }),
    };
    const { unrecorded, ...endpoints } = await changes.connect(organizationId, connection, {
      ...who,
      requestId: by.origin.requestId,
      at: now(),
      durationMs: now() - startedAt,
      eventType: "PROVIDER_CONNECTION_ESTABLISHED",
      accountId,
      method: secret.method,
      connectionId: connection.connectionId,
    });
    for (const change of unrecorded) await recordChange(organizationId, change);
    return { status: "connected" as const, ...connection, ...endpoints, entryOf: accountId };
  };

  /** Stores the connection. An endpoint that was just created is removed if the connection cannot be stored. */
  const registerAndStore = async (
    request: ConnectionRequest,
    by: ConnectionUserRequest,
    startedAt: number,
  ): ReturnType<typeof store> => {
    if (request.registerWebhook === true) registration.requireUrl(by.caller.organizationId);
    const verified = await verify(request, by);
    const { secret, accountId } = verified;
    const context = { ...contextOfUser(by), accountId };
    const registered = await register(request, verified, by);
    try {
      const stored = await store(request, verified, registered, by, startedAt);
      const left = stored.leftEndpointId === undefined ? [] : [stored.leftEndpointId];
      await registration.remove(secret, new Set([...(registered?.others ?? []), ...left]), context);
      // Otherwise another request was stored in between, and may have removed this endpoint.
      if (registered === undefined || stored.replacedId === registered.readId) return stored;
    } catch (error) {
      // If the store did not answer, the connection may be stored; a repeated request replaces the endpoint.
      const isRefused = error instanceof DomainError && error.code !== "store_unavailable";
      if (isRefused && registered?.secret !== undefined) {
        await registration.remove(secret, [registered.endpointId], context);
      }
      throw error;
    }
    return registerAndStore(request, by, startedAt);
  };

  const restartSync = async (by: ConnectionUserRequest): Promise<void> => {
    await dependencies.cancelRuns(by.caller.organizationId);
    await dependencies.startFirstSync(by);
  };

  return async (request: ConnectionRequest, by: ConnectionUserRequest): Promise<Connection> => {
    const startedAt = now();
    try {
      const stored = await registerAndStore(request, by, startedAt);
      // The connection is stored. If the sync does not start now, the next schedule starts one.
      await orElse("The first sync did not start", restartSync(by), undefined);
      // The first sync raises what is missing.
      const settled = dependencies.settleKeyAlerts(by.caller.organizationId);
      await orElse("The alerts about the key are not up to date", settled, undefined);
      return await view(by.caller.organizationId, stored, (read) =>
        orElse("Reading a field of the connection failed; the answer lacks it", read, undefined),
      );
    } finally {
      await provider.flush();
    }
  };
};
