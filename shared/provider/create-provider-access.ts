/** Makes operations of an adapter's requests. */
import { setTimeout as sleepFor } from "node:timers/promises";
import { CallTimeoutError, type Guard, MAX_CALL_TIMEOUT_MS } from "../circuit-breaker/guard.ts";
import { definedFields } from "../json/defined-fields.ts";
import { isOptional } from "../records/record.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { outsideDeadline } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import type { Recorder } from "../security/recorder.ts";
import { ATTEMPT_TIMEOUT_MS, isUnauthorized, timeoutError } from "./attempt.ts";
import type {
  ActivityLogAdapter,
  Credentials,
  Grant,
  OAuthAdapter,
  OperationContext,
  Provider,
  ProviderAccess,
  ProviderAdapter,
  ProviderPage,
  Tokens,
  WebhookEndpoints,
} from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import type { RateStore } from "./rate-store.ts";
import type { ReadCounts } from "./read-count-store.ts";
import {
  createRecordOperation,
  type LatencyObserver,
  type OnRefused,
  type RecordOperation,
} from "./record-operation.ts";
import { createRunOperation, type Operation, type Session } from "./run-operation.ts";

export type ProviderAccessDependencies = {
  adapter: ProviderAdapter;
  /** Of the function that reads the account's activity. */
  activityLogAt?: ActivityLogAdapter | undefined;
  /** The platform's own secret for OAuth; undefined if the deployment has none. */
  platform?: Credentials | undefined;
  guard: Guard;
  recorder: Pick<Recorder, "record">;
  reads: ReadCounts;
  /** The rate of requests that all instances share. */
  rate: Pick<RateStore, "take">;
  latency?: LatencyObserver;
  onRefused?: OnRefused | undefined;
  clock?: Clock;
  sleep?: (ms: number) => Promise<unknown>;
  /** From 0 to 1. */
  random?: () => number;
};

/** Whether the provider rejected the platform's secret. https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const isClientRejected = (error: unknown): boolean =>
  error instanceof ProviderError &&
  error.reason === undefined &&
  (error.status === 401 || error.code === "invalid_client");

type Exchanges = Pick<ProviderAccess, "exchangeCode" | "refreshTokens">;

/**
 * OAuth exchanges: one request each, never repeated, because the grant may be used up although no answer came. The one
 * exception: the provider rejects the platform's own secret, which leaves the grant valid, and the secret was rotated.
 */
const createExchanges = (
  oauth: OAuthAdapter,
  platform: Credentials | undefined,
  guard: Guard,
  recordOperation: RecordOperation,
): Exchanges => {
  const requirePlatform = (): Credentials => {
    if (platform !== undefined) return platform;
    throw new DomainError("oauth_not_configured", "This deployment has no credentials for OAuth.");
  };

  /** Not rate limited: it is rare, and a request that holds a slot may wait for it. */
  const exchange = async (
    grant: Grant,
    { organizationId, isConnecting }: OperationContext,
    onSent: () => void = () => undefined,
  ): Promise<Tokens> => {
    const { current, refused } = requirePlatform();
    let secret = await current();
    let isSecretRotated = false;
    const classifyError = (error: unknown) => {
      if (!(error instanceof ProviderError) || isSecretRotated) return "neutral";
      return isConnecting === true && error.kind === "authentication" ? "neutral" : error.outcome;
    };
    const send = async (signal: AbortSignal): Promise<Tokens> => {
      onSent();
      return oauth.exchange(grant, { secret, signal });
    };
    /** Reads the secret again before the circuit counts the call: with another secret to try, the 401 is neutral. */
    const sendFirst = async (signal: AbortSignal): Promise<Tokens> => {
      try {
        return await send(signal);
      } catch (error) {
        const other = isClientRejected(error) ? await refused(secret) : undefined;
        isSecretRotated = other !== undefined;
        if (isClientRejected(error) && other === undefined) {
          // All connections by OAuth will end, unless an operator corrects the secret.
          writeLog("error", "The provider rejects the platform's OAuth secret", { alarm: "platform_secret" });
        }
        secret = other ?? secret;
        throw error;
      }
    };
    // The longest time-out: if we give up too early, the new tokens are lost and the old ones are invalid.
    const options = { isStart: isConnecting === true, classifyError, timeoutMs: MAX_CALL_TIMEOUT_MS };
    try {
      return await guard(organizationId, sendFirst, options).catch((error: unknown) => {
        if (!isSecretRotated) throw error;
        isSecretRotated = false;
        return guard(organizationId, send, options);
      });
    } catch (error) {
      throw error instanceof CallTimeoutError ? timeoutError() : error;
    }
  };

  return {
    exchangeCode: async (code, context) => {
      requirePlatform();
      const operation = {
        action: "exchange_code",
        result: ({ accountId }: Tokens) => definedFields({ accountId }),
      };
      return recordOperation(operation, context, (report) => exchange({ code }, context, () => report.attempts++));
    },

    refreshTokens: async (refreshToken, context) => exchange({ refreshToken }, context),
  };
};

/** Not rate limited: the request that was rejected holds a slot concurrently. */
const createAcceptsSecret =
  ({ adapter, guard, reads }: Pick<ProviderAccessDependencies, "adapter" | "guard" | "reads">) =>
  async (secret: string, { organizationId }: OperationContext): Promise<boolean> => {
    const call = (signal: AbortSignal) => {
      reads.count(organizationId);
      return adapter.at({ secret, signal }).readAccount();
    };
    const classifyError = (error: unknown) => (error instanceof ProviderError ? error.outcome : "neutral");
    try {
      await guard(organizationId, call, { classifyError, timeoutMs: ATTEMPT_TIMEOUT_MS });
      return true;
    } catch (error) {
      if (isUnauthorized(error)) return false;
      throw error instanceof CallTimeoutError ? timeoutError() : error;
    }
  };

const sizeOf = (page: ProviderPage<unknown> | undefined) =>
  page === undefined ? {} : { batchSize: page.items.length };

export const createProviderAccess = ({
  adapter,
  activityLogAt,
  platform,
  guard,
  recorder,
  reads,
  rate,
  latency,
  onRefused,
  clock = systemClock,
  sleep = (ms) => outsideDeadline(() => sleepFor(ms)),
  random = Math.random,
}: ProviderAccessDependencies): ProviderAccess => {
  const recordOperation = createRecordOperation({ recorder, latency, onRefused, clock });
  const rateLimiter = createRateLimiter({ rate, clock, sleep });
  const runOperation = createRunOperation({ guard, rateLimiter, recordOperation, reads, clock, sleep, random });

  return {
    ...createExchanges(adapter.oauth, platform, guard, recordOperation),

    open(credentials, context): Provider {
      const session: Session = { credentials, context, hasStarted: false };
      const run = <Value>(operation: Operation<Value>) => runOperation(operation, session);
      return {
        readAccount: () =>
          run({
            action: "read_account",
            send: (options) => adapter.at(options).readAccount(),
            result: ({ accountId }) => ({ accountId }),
          }),
        listObjects: (type, page) =>
          run({
            action: `list_${type}`,
            type,
            mayBeRefused: isOptional(type),
            send: (options) => adapter.at(options).listObjects(type, page),
            result: sizeOf,
          }),
        readObject: (type, id) =>
          run({
            action: `read_${type.slice(0, -1)}`,
            type,
            mayBeRefused: isOptional(type),
            send: (options) => adapter.at(options).readObject(type, id),
          }),
        listPaymentLinks: (page) =>
          run({
            action: "list_payment_links",
            send: (options) => adapter.at(options).listPaymentLinks(page),
            result: sizeOf,
          }),
        listEvents: (page) =>
          run({ action: "list_events", send: (options) => adapter.at(options).listEvents(page), result: sizeOf }),
      };
    },

    openWebhookEndpoints(credentials, context) {
      const session: Session = { credentials, context, hasStarted: false };
      // A key may have lost the permission since it registered the endpoint.
      const mayBeRefused = context.isConnecting !== true;
      const run = <Value>(action: string, send: (endpoints: WebhookEndpoints) => Promise<Value>) =>
        runOperation({ action, mayBeRefused, send: (options) => send(adapter.webhookEndpointsAt(options)) }, session);
      return {
        list: () => run("list_webhook_endpoints", (endpoints) => endpoints.list()),
        create: (endpoint) => run("create_webhook_endpoint", (endpoints) => endpoints.create(endpoint)),
        update: (id) => run("update_webhook_endpoint", (endpoints) => endpoints.update(id)),
        remove: (id) => run("remove_webhook_endpoint", (endpoints) => endpoints.remove(id)),
      };
    },

    openActivityLog(credentials, context) {
      if (activityLogAt === undefined) throw new Error("This function does not read the account's activity.");
      const session: Session = { credentials, context, hasStarted: false };
      return {
        list: (page) =>
          runOperation(
            {
              action: "list_account_activity",
              send: (options) => activityLogAt(options).list(page),
              result: sizeOf,
            },
            session,
          ),
      };
    },

    acceptsSecret: createAcceptsSecret({ adapter, guard, reads }),

    isHalfOpen: guard.isHalfOpen,

    async flush() {
      await Promise.all([guard.flush(), reads.flush(), latency?.flush()]);
    },
  };
};
