/**
 * What PUT …/connection does: the credentials are tried on the provider, then stored as a whole, and a sync begins.
 * Nothing is stored unless it was verified. docs/connection.md, "Connecting".
 */
import type { Account, OperationContext, ProviderAccess } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { AuthorizationStates } from "./authorization-state.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionChangeStore, NewConnection } from "./connection-change-store.ts";
import { type ActingUser, contextOfUser } from "./connection-events.ts";
import type { ConnectionRequest } from "./connection-request.ts";
import { bearerOf, type ConnectionSecrets, type Secret } from "./connection-secrets.ts";
import { TOKEN_LIFE_MS } from "./credentials.ts";
import type { TellChange } from "./tell-change.ts";
import { isRefused, type Verification } from "./verify-account.ts";
import type { ViewConnection } from "./view-connection.ts";

export type ConnectParts = {
  states: Pick<AuthorizationStates, "use">;
  verification: Verification;
  provider: Pick<ProviderAccess, "flush">;
  secrets: Pick<ConnectionSecrets, "sealCredentials" | "sealWebhookSecrets">;
  changes: Pick<ConnectionChangeStore, "connect">;
  /** Ends the runs of the connection before. */
  cancelRuns(organizationId: string): Promise<void>;
  startFirstSync(by: ActingUser): Promise<void>;
  tell: TellChange;
  view: ViewConnection;
  now: Clock;
  /** A name that no other connection has. */
  newToken: () => string;
};

export type Connect = (request: ConnectionRequest, by: ActingUser) => Promise<Connection>;

type Verified = Account & { secret: Secret; tokenExpiresAt?: number };

const webhookSecretsOf = ({ webhookSecret, webhookSecrets }: ConnectionRequest): readonly string[] | undefined =>
  webhookSecrets ?? (webhookSecret === undefined ? undefined : [webhookSecret]);

/** For what must not fail the request: operators are told, the client is not. */
const orElse = async <Result>(what: string, work: Promise<Result>, fallback: Result): Promise<Result> => {
  try {
    return await work;
  } catch (error) {
    writeLog("warn", what, { cause: error instanceof Error ? error.message : String(error) });
    return fallback;
  }
};

export const createConnect = (parts: ConnectParts): Connect => {
  const { states, verification, provider, secrets, changes, tell, view, now, newToken } = parts;

  /** A code is spent once it is exchanged; its state is given back only where the provider may not have seen it. */
  const exchange = async (code: string, state: string, by: ActingUser, context: OperationContext) => {
    const used = await states.use(by.caller, state);
    try {
      return await verification.exchange(code, context);
    } catch (error) {
      if (!isRefused(error)) await orElse("A state was not given back", used.giveBack(), undefined);
      throw error;
    }
  };

  const verify = async (request: ConnectionRequest, by: ActingUser): Promise<Verified> => {
    const context = contextOfUser(by);
    if (request.method === "api_key") {
      const secret: Secret = { method: "api_key", apiKey: request.apiKey };
      return { ...(await verification.readAccount(bearerOf(secret), context)), secret };
    }
    const tokenExpiresAt = now() + TOKEN_LIFE_MS;
    const { accessToken, refreshToken, accountId } = await exchange(request.code, request.state, by, context);
    const secret: Secret = { method: "oauth", accessToken, refreshToken };
    const itsContext = { ...context, ...(accountId !== undefined && { accountId }) };
    const account = await verification.readAccount(accessToken, itsContext);
    return { ...account, secret, tokenExpiresAt };
  };

  const store = async (request: ConnectionRequest, verified: Verified, by: ActingUser, startedAt: number) => {
    const { organizationId } = by.caller;
    const { secret, accountId, tokenExpiresAt } = verified;
    const given = webhookSecretsOf(request);
    const connection: NewConnection = {
      connectionId: newToken(),
      method: secret.method,
      accountId,
      connectedAt: now(),
      credentials: await secrets.sealCredentials(organizationId, secret),
      credentialsVersion: newToken(),
      ...(tokenExpiresAt !== undefined && { tokenExpiresAt }),
      ...(given !== undefined && { webhookSecrets: await secrets.sealWebhookSecrets(organizationId, given) }),
    };
    const { isConnecting: _, organizationId: __, ...who } = contextOfUser(by);
    const untold = await changes.connect(organizationId, connection, {
      ...{ ...who, requestId: by.origin.requestId, at: now(), durationMs: now() - startedAt },
      ...{ eventType: "PROVIDER_CONNECTION_ESTABLISHED", accountId, method: secret.method },
      connectionId: connection.connectionId,
    });
    for (const change of untold) await tell(organizationId, change);
    return { status: "connected" as const, ...connection };
  };

  const restartSync = async (by: ActingUser): Promise<void> => {
    await parts.cancelRuns(by.caller.organizationId);
    await parts.startFirstSync(by);
  };

  return async (request, by) => {
    const startedAt = now();
    const { organizationId } = by.caller;
    try {
      const stored = await store(request, await verify(request, by), by, startedAt);
      const { method, accountId, connectedAt, tokenExpiresAt } = stored;
      // The connection stands: what fails from here on the next schedule makes up for.
      await orElse("The first sync did not start", restartSync(by), undefined);
      const bare: Connection = { status: "connected", method, accountId, connectedAt, tokenExpiresAt };
      return await orElse("The connection is not shown whole", view(organizationId, stored), bare);
    } finally {
      await provider.flush();
    }
  };
};
