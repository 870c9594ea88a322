/** Exchanges of OAuth: one request each, never repeated, because what is exchanged may be spent although no answer came. */
/** Makes operations of an adapter's requests. */

import { setTimeout as sleepFor } from "node:timers/promises";
import { CallTimeoutError } from "../circuit-breaker/circuit-open-error.ts";
import { type Guard, MAX_CALL_TIMEOUT_MS } from "../circuit-breaker/guard.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Recorder } from "../security/recorder.ts";
import { timeoutError } from "./attempt.ts";
import type {
  Grant,
  OAuthAdapter,
  OperationContext,
  Provider,
  ProviderAccess,
  ProviderAdapter,
  ProviderPage,
  Tokens,
} from "./provider.ts";
import { ProviderError } from "./provider-error.ts";
import { createPace } from "./rate-limiter.ts";
import type { ReadCounts } from "./read-count-store.ts";
import { createRecordOperation, type LatencyObserver, type RecordOperation } from "./record-operation.ts";
import { createOperate, type Operation, type Session } from "./run-operation.ts";

type Exchange = Pick<ProviderAccess, "exchangeCode" | "refreshTokens">;

/** @param oauth undefined while the platform has no credentials of its own. */
export const createExchange = (dependencies: {
  oauth: OAuthAdapter | undefined;
  guard: Guard;
  recordOperation: RecordOperation;
}): Exchange => {
  const { oauth, guard, recordOperation } = dependencies;

  const configured = (): OAuthAdapter => {
    if (oauth !== undefined) return oauth;
    throw new DomainError("oauth_not_configured", "This deployment has no credentials for OAuth.");
  };

  /** Outside the pace: it is rare, and it may be what another request waits for in its own turn. */
  const exchange = async (
    grant: Grant,
    { organizationId, isConnecting }: OperationContext,
    onSent: () => void = () => undefined,
  ): Promise<Tokens> => {
    const adapter = configured();
    const classifyError = (error: unknown) => {
      if (!(error instanceof ProviderError)) return "neutral";
      return isConnecting === true && error.kind === "authentication" ? "neutral" : error.outcome;
    };
    const call = (signal: AbortSignal) => {
      onSent();
      return adapter.exchange(grant, signal);
    };
    try {
      // As long as a call may take: given up too early, the new tokens would be lost and the old ones dead.
      return await guard(organizationId, call, {
        isStart: isConnecting === true,
        classifyError,
        timeoutMs: MAX_CALL_TIMEOUT_MS,
      });
    } catch (error) {
      throw error instanceof CallTimeoutError ? timeoutError() : error;
    }
  };

  return {
    exchangeCode: async (code, context) => {
      configured();
      const operation = {
        action: "exchange_code",
        result: ({ accountId }: Tokens) => (accountId === undefined ? {} : { accountId }),
      };
      return recordOperation(operation, context, (report) => exchange({ code }, context, () => report.attempts++));
    },

    refreshTokens: async (refreshToken, context) => exchange({ refreshToken }, context),
  };
};

export type ProviderAccessDependencies = {
  adapter: ProviderAdapter;
  guard: Guard;
  recorder: Pick<Recorder, "record">;
  reads: ReadCounts;
  /** Finds that operations have become slow. */
  latency?: LatencyObserver;
  clock?: Clock;
  sleep?: (ms: number) => Promise<unknown>;
  /** From 0 to 1. */
  random?: () => number;
};

const sizeOf = (page: ProviderPage<unknown> | undefined) =>
  page === undefined ? {} : { batchSize: page.items.length };

export const createProviderAccess = ({
  adapter,
  guard,
  recorder,
  reads,
  latency,
  clock = systemClock,
  sleep = sleepFor,
  random = Math.random,
}: ProviderAccessDependencies): ProviderAccess => {
  const recordOperation = createRecordOperation({ recorder, latency, clock });
  const pace = createPace({ clock, sleep });
  const operate = createOperate({ guard, pace, recordOperation, reads, clock, sleep, random });

  return {
    ...createExchange({ oauth: adapter.oauth, guard, recordOperation }),

    open(credentials, context): Provider {
      const session: Session = { credentials, context, hasStarted: false };
      const run = <Value>(operation: Operation<Value>) => operate(operation, session);
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
            send: (options) => adapter.at(options).listObjects(type, page),
            result: sizeOf,
          }),
        readObject: (type, id) =>
          run({
            action: `read_${type.slice(0, -1)}`,
            type,
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

    isHalfOpen: guard.isHalfOpen,

    async flush() {
      await Promise.all([guard.flush(), reads.flush(), latency?.flush()]);
    },
  };
};
