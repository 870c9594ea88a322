/** Operations with a scripted adapter, a guard that passes all calls, and a clock that sleeping advances. */

import type { Outcome } from "../../../shared/circuit-breaker/decide.ts";
import type { CallOptions, Guard, GuardedCall } from "../../../shared/circuit-breaker/guard.ts";
import { createProviderAccess } from "../../../shared/provider/create-provider-access.ts";
import type {
  Credentials,
  Grant,
  OAuthAdapter,
  OperationContext,
  Provider,
  ProviderAdapter,
} from "../../../shared/provider/provider.ts";
import { createReadCounts } from "../../../shared/provider/read-count-store.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import type { ErrorRow } from "../../support/provider-errors.ts";
import { providerError } from "../../support/provider-errors.ts";

export const START = Date.UTC(2026, 10, 30, 23, 59, 58);

export const organizationId = "acme";
export const context: OperationContext = { organizationId, source: "system", accountId: "acct_1", runId: "run_1" };

/** The result or error of one request, and its duration. */
export type Step = { tookMs?: number; value?: unknown; error?: unknown };

export const failing = (row: ErrorRow, more: { retryAfterMs?: number; tookMs?: number } = {}): Step => ({
  error: providerError(row, more),
  ...(more.tookMs !== undefined && { tookMs: more.tookMs }),
});

export const page = { items: [{}, {}, {}], next: "x" };

type Guarded = {
  organizationId: string;
  isStart: boolean | undefined;
  timeoutMs: number | undefined;
  outcome: Outcome;
};

/** @param options.random the number that full jitter draws: 1 is the longest pause. */
export const createWorld = (
  steps: readonly Step[],
  {
    credentials = {},
    guardErrors = [],
    random = 1,
    platform = {},
    hasOAuth = true,
  }: {
    credentials?: Partial<Credentials>;
    /** The guard's refusals, by the number of the refused call. */
    guardErrors?: readonly (Error | undefined)[];
    random?: number;
    /** The platform's own secret for OAuth. */
    platform?: Partial<Credentials>;
    hasOAuth?: boolean;
  } = {},
) => {
  const time = { now: START };
  const pauses: number[] = [];
  const events: NewSecurityEvent[] = [];
  const secrets: string[] = [];
  const signals: AbortSignal[] = [];
  const guarded: Guarded[] = [];
  const added: [string, string, number][] = [];
  const grants: Grant[] = [];
  const flushed: string[] = [];
  const left = [...steps];

  const take = async (): Promise<never> => {
    const step = left.shift();
    if (step === undefined) throw new Error("Unexpected request.");
    time.now += step.tookMs ?? 10;
    if (step.error !== undefined) throw step.error;
    return step.value as never;
  };
  const provider: Provider = {
    readAccount: take,
    listObjects: take,
    readObject: take,
    listPaymentLinks: take,
    listEvents: take,
  };
  const oauth: OAuthAdapter = {
    exchange: (grant, { secret, signal }) => {
      grants.push(grant);
      secrets.push(secret);
      signals.push(signal);
      return take();
    },
  };
  const adapter: ProviderAdapter = {
    webhookEndpointsAt: ({ secret, signal }) => {
      secrets.push(secret);
      signals.push(signal);
      return { list: take, create: take, update: take, remove: take };
    },
    oauth,
    at: ({ secret, signal }) => {
      secrets.push(secret);
      signals.push(signal);
      return provider;
    },
  };

  /** The organizations of the slots that were taken of the shared rate. */
  const shared: string[] = [];
  let calls = 0;
  const pass = async <Value>(id: string, call: GuardedCall<Value>, options: CallOptions = {}): Promise<Value> => {
    const { isStart, timeoutMs, classifyError } = options;
    const refusal = guardErrors[calls++];
    if (refusal !== undefined) throw refusal;
    const end = (outcome: Outcome) => void guarded.push({ organizationId: id, isStart, timeoutMs, outcome });
    try {
      const value = await call(new AbortController().signal);
      end("success");
      return value;
    } catch (error) {
      end(classifyError?.(error) ?? "failure");
      throw error;
    }
  };
  const guard: Guard = Object.assign(pass, { isHalfOpen: () => false, flush: async () => void flushed.push("guard") });

  const access = createProviderAccess({
    adapter,
    platform: hasOAuth
      ? { current: async () => "sk_platform", refused: async () => undefined, ...platform }
      : undefined,
    guard,
    recorder: {
      record: async (event) => {
        events.push(event);
        return undefined;
      },
    },
    rate: {
      take: async (id, now) => {
        shared.push(id);
        return { at: now, nextAt: now };
      },
    },
    reads: createReadCounts({
      store: {
        add: async (id, month, { count }) => void added.push([id, month, count]),
      },
      clock: () => time.now,
      newToken: () => "token",
    }),
    clock: () => time.now,
    sleep: async (ms) => {
      pauses.push(ms);
      time.now += ms;
    },
    random: () => random,
  });
  return {
    access,
    time,
    pauses,
    events,
    secrets,
    signals,
    guarded,
    added,
    grants,
    flushed,
    left,
    shared,
    open: (who: OperationContext = context): Provider =>
      access.open({ current: async () => "sk_1", refused: async () => undefined, ...credentials }, who),
  };
};
