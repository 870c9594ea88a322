/** Connections over a real table, and a provider with accounts, keys and rotating tokens. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createConnect, createVerification } from "../../../shared/connection/connect.ts";
import { createViewConnection, createWebhookUrl } from "../../../shared/connection/connection.ts";
import { createConnectionChangeRecorder } from "../../../shared/connection/connection-events.ts";
import { createConnectionSecrets } from "../../../shared/connection/connection-secrets.ts";
import { createDisconnect, createDisconnectByUser } from "../../../shared/connection/disconnect.ts";
import { createSettleKeyAlerts } from "../../../shared/connection/key-alerts.ts";
import { createOAuthStates } from "../../../shared/connection/oauth-state.ts";
import { createOpenConnection } from "../../../shared/connection/open-connection.ts";
import { createWebhookRegistration } from "../../../shared/connection/webhook-registration.ts";
import { createChangeWebhookSecrets } from "../../../shared/connection/webhook-secrets.ts";
import type { Credentials, OperationContext, Provider, ProviderAccess } from "../../../shared/provider/provider.ts";
import { stripeSetup } from "../../../shared/provider/stripe/setup.ts";
import type { Envelope } from "../../../shared/runtime/envelope.ts";
import { createSealing } from "../../../shared/runtime/sealing.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import type { SyncState } from "../../../shared/sync/sync-item.ts";
import { providerError } from "../../support/provider-errors.ts";
import type { Stores } from "./connection-table.ts";

export const NOON = Date.UTC(2026, 10, 21, 12);

export const unauthorized = () => providerError("unauthorized");
export const invalidGrant = () => providerError("invalidGrant");
export const forbidden = () => providerError("forbidden");
export const invalidRequest = () => providerError("invalid", { code: "url_invalid" });
export const noAnswer = () => providerError("timeout");
export const serverError = () => providerError("network", { status: 500 });
export const rateLimited = (retryAfterMs?: number) =>
  providerError("rateLimit", retryAfterMs === undefined ? {} : { retryAfterMs });

/** All test envelopes share one key, as all functions do. */
const key = randomBytes(32);

/** Unseals only with the context of the sealing, as the real one does. The first `failures` calls fail. */
const createTestEnvelope = () => {
  const envelope: Envelope & { failures: number } = {
    failures: 0,
    async seal(context, plaintext) {
      if (envelope.failures-- > 0) throw new Error("KMS: unavailable");
      envelope.failures = 0;
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(JSON.stringify(context)));
      return Buffer.concat([nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    async open(context, sealed) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
      decipher.setAAD(Buffer.from(JSON.stringify(context))).setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    },
  };
  return envelope;
};

/** The provider's state behind its API: the valid secrets, and the requests that it received. */
export const createTestProvider = () => {
  const provider = {
    /** The account of each valid API key and access token. */
    secrets: new Map<string, string>(),
    codes: new Map<string, string>(),
    refreshTokens: new Map<string, string>(),
    asked: [] as string[],
    contexts: [] as OperationContext[],
    /** Called before each request. If it throws, the request fails with that error. */
    before: (_request: string) => {},
    /** Has all requests from now on fail. */
    failWith: (error: () => Error) => {
      provider.before = () => {
        throw error();
      };
    },
    /** Called after an exchange, before its answer arrives. */
    afterExchange: async () => {},
    /** The webhook endpoints of all accounts. */
    endpoints: new Map<string, { url: string; isCurrent: boolean; missing?: string[] }>(),
    /** Called after an endpoint is created, before its answer arrives. */
    afterCreation: async () => {},
    flushes: 0,
    tokens: 0,
    give: (accountId: string) => {
      const n = ++provider.tokens;
      const [accessToken, refreshToken] = [`access_secret_${accountId}_${n}`, `refresh_secret_${accountId}_${n}`];
      provider.secrets.set(accessToken, accountId);
      provider.refreshTokens.set(refreshToken, accountId);
      return { accessToken, refreshToken, accountId };
    },
    exchanges: () => provider.asked.filter((request) => request === "refresh").length,
  };
  const ask = (request: string, context: OperationContext) => {
    provider.asked.push(request);
    provider.contexts.push(context);
    provider.before(request);
  };
  const exchange = async (from: Map<string, string>, grant: string) => {
    const accountId = from.get(grant);
    if (accountId === undefined) throw invalidGrant();
    from.delete(grant);
    const tokens = provider.give(accountId);
    await provider.afterExchange();
    return tokens;
  };
  const readAccount = async (credentials: Credentials, context: OperationContext, isSecond = false) => {
    const secret = await credentials.current();
    ask("account", context);
    const accountId = provider.secrets.get(secret);
    if (accountId !== undefined) return { accountId };
    const another = await credentials.refused(secret);
    const second = another === undefined ? undefined : provider.secrets.get(another);
    if (second !== undefined) return { accountId: second };
    if (another !== undefined && !isSecond) await credentials.refused(another);
    throw unauthorized();
  };
  const access: Omit<ProviderAccess, "isHalfOpen" | "openActivityLog"> = {
    openWebhookEndpoints: (_credentials, context) => ({
      list: async () => {
        ask("list endpoints", context);
        return [...provider.endpoints].map(([id, endpoint]) => ({ id, missing: [], ...endpoint }));
      },
      create: async ({ url }) => {
        ask("create endpoint", context);
        const id = `we_${provider.tokens++}`;
        provider.endpoints.set(id, { url, isCurrent: true });
        await provider.afterCreation();
        return { id, secret: `whsec_of_${id}` };
      },
      update: async (id) => {
        ask("update endpoint", context);
        const endpoint = provider.endpoints.get(id);
        if (endpoint === undefined) throw invalidRequest();
        provider.endpoints.set(id, { url: endpoint.url, isCurrent: true });
      },
      remove: async (id) => {
        ask("remove endpoint", context);
        provider.endpoints.delete(id);
      },
    }),
    open: (credentials, context) => ({ readAccount: () => readAccount(credentials, context) }) as Provider,
    exchangeCode: async (code, context) => {
      ask("code", context);
      return exchange(provider.codes, code);
    },
    refreshTokens: async (refreshToken, context) => {
      ask("refresh", context);
      return exchange(provider.refreshTokens, refreshToken);
    },
    acceptsSecret: async (secret, context) => {
      ask("confirm", context);
      return provider.secrets.has(secret);
    },
    flush: async () => {
      provider.flushes++;
    },
  };
  return Object.assign(provider, { access });
};

export const callerOf = (organizationId: string, userId = "ada") => ({
  organizationId,
  userId,
  sessionId: "session-1",
  scope: `org:${organizationId}` as const,
});
const origin = { requestId: "request-1", ipAddress: "192.0.2.1", userAgent: "jest" };

/** All operations on connections with a clock that tests set, and their effects in addition to the table. */
export const createWorld = (stores: Stores, provider = createTestProvider()) => {
  const world = {
    now: NOON,
    events: [] as NewSecurityEvent[],
    steps: [] as string[],
    /** Alerts about keys, as they were raised and resolved. */
    keyAlerts: [] as string[],
    wantsKeyAlerts: true,
    startFirstSync: async (organizationId: string) => {
      world.steps.push(`sync ${organizationId}`);
    },
    cancelRuns: async (organizationId: string) => {
      world.steps.push(`cancel ${organizationId}`);
    },
    isRecording: true,
    webhookUrlOf: createWebhookUrl("https://hooks.example", "url"),
    syncState: async (_organizationId: string): Promise<SyncState> => ({}),
    nextSync: async (): Promise<number | undefined> => undefined,
    /** Called instead of waiting. */
    pause: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
  const recorded = new Set<string>();
  const now = () => world.now;
  const newToken = () => randomBytes(9).toString("base64url");
  const recorder = {
    record: async (event: NewSecurityEvent, moment?: { identity?: Uint8Array }) => {
      if (!world.isRecording) throw new Error("The process died.");
      // As in the real recorder, the same identity is the same event.
      const name = moment?.identity && Buffer.from(moment.identity).toString("hex");
      if (name === undefined || !recorded.has(name)) world.events.push(event);
      if (name !== undefined) recorded.add(name);
      return undefined;
    },
  };
  const envelope = createTestEnvelope();
  const secrets = createConnectionSecrets(envelope);
  const states = createOAuthStates({
    sealing: createSealing("a secret of at least 32 characters"),
    used: stores.usedStates,
    now,
  });
  const view = createViewConnection({
    syncState: (organizationId) => world.syncState(organizationId),
    nextSync: () => world.nextSync(),
    readsThisMonth: async () => 3,
    accountActivity: async () => ({ state: "on" as const }),
    webhookUrlOf: (organizationId) => world.webhookUrlOf(organizationId),
    setup: stripeSetup,
    syncIntervalHours: 4,
    now,
  });
  const around = {
    cancelRuns: (organizationId: string) => world.cancelRuns(organizationId),
    startFirstSync: ({ caller }: { caller: { organizationId: string } }) => world.startFirstSync(caller.organizationId),
  };
  const settleKeyAlerts = createSettleKeyAlerts(
    {
      connections: stores.connections,
      keys: stores.keys,
      setup: stripeSetup,
      raise: async (_, { subject, level }) => {
        if (!world.wantsKeyAlerts) return false;
        world.keyAlerts.push(`raised ${subject} ${level}`);
        return true;
      },
      now,
    },
    async (_, { subject }) => {
      world.keyAlerts.push(`resolved ${subject}`);
    },
  );
  const recordChange = createConnectionChangeRecorder({ recorder, changes: stores.connections });
  const registration = createWebhookRegistration({
    provider: provider.access,
    webhookUrlOf: (organizationId) => world.webhookUrlOf(organizationId),
    setup: stripeSetup,
    newToken,
  });
  const connectAs = createConnect({
    states,
    secrets,
    recordChange,
    view,
    now,
    newToken,
    settleKeyAlerts,
    ...around,
    verification: createVerification(provider.access),
    provider: provider.access,
    connections: stores.connections,
    changes: stores.connections,
    registration,
  });
  const changeWebhookSecrets = createChangeWebhookSecrets({
    secrets,
    view,
    now,
    newToken,
    changes: stores.webhookSecrets,
    recordChange: createConnectionChangeRecorder({ recorder, changes: stores.webhookSecrets }),
  });
  const disconnect = createDisconnect({ changes: stores.connections, recordChange, now, ...around });
  const disconnectByUser = createDisconnectByUser({
    disconnect,
    secrets,
    registration,
    settleKeyAlerts,
    provider: provider.access,
    connections: stores.connections,
  });
  const openConnection = createOpenConnection({
    settleKeyAlerts,
    keys: stores.keys,
    secrets,
    recorder,
    recordChange,
    now,
    newToken,
    connections: stores.connections,
    changes: stores.connections,
    refreshes: stores.refreshes,
    provider: provider.access,
    pause: () => world.pause(),
  });
  return Object.assign(world, {
    stores,
    provider,
    envelope,
    secrets,
    states,
    view,
    openConnection,
    connect: (request: Parameters<typeof connectAs>[0], organizationId: string, userId?: string) =>
      connectAs(request, { caller: callerOf(organizationId, userId), origin }),
    changeWebhookSecrets: (given: readonly string[], organizationId: string, userId?: string) =>
      changeWebhookSecrets(given, { caller: callerOf(organizationId, userId), origin }),
    disconnect: (organizationId: string) => disconnect({ organizationId, source: "user", userId: "ada" }),
    disconnectByUser: (organizationId: string) => disconnectByUser({ caller: callerOf(organizationId), origin }),
    /** Connects by OAuth. @returns the tokens */
    connectByOAuth: async (organizationId: string, accountId = "acct_1") => {
      const code = `code ${organizationId} ${provider.tokens}`;
      provider.codes.set(code, accountId);
      await connectAs(
        { method: "oauth", code, state: states.issue(callerOf(organizationId)) },
        { caller: callerOf(organizationId), origin },
      );
      const { credentials } = await openConnection(organizationId);
      return credentials.current();
    },
  });
};
export type World = ReturnType<typeof createWorld>;
