/** Whether and when an operation is tried again. Spec: Limits; decisions: docs/provider.md, "Operations". Pure. */
/** One attempt of an operation: one request through the organization's circuit, and what to do after it. */

import { CallTimeoutError } from "../circuit-breaker/circuit-open-error.ts";
import type { Guard } from "../circuit-breaker/guard.ts";
import type { Credentials, OperationContext, RequestOptions } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";

/** Decisions: an operation gives up after so many attempts, or after so long. */
export const MAX_ATTEMPTS = 3;
export const OPERATION_DEADLINE_MS = 10_000;

/** So long one attempt may wait for its answer: two that hang leave the deadline unbroken. */
export const ATTEMPT_TIMEOUT_MS = 5_000;

/** With less time than this left an attempt is not worth a request. */
export const MIN_ATTEMPT_MS = 500;

const BASE_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;

/**
 * How long to wait before the next attempt; undefined to give up. A random time up to 250 ms, doubled by each attempt
 * that failed before ("full jitter"), and at least as long as the provider asks for, if there is time for that.
 * @param random from 0 to 1.
 */
export const pauseBefore = (
  error: ProviderError,
  { attempts, remainingMs, random }: { attempts: number; remainingMs: number; random: number },
): number | undefined => {
  if (!error.isRetryable || attempts >= MAX_ATTEMPTS) return undefined;
  const ownMs = Math.round(random * Math.min(MAX_PAUSE_MS, BASE_PAUSE_MS * 2 ** attempts));
  const pauseMs = Math.max(ownMs, error.retryAfterMs ?? 0);
  return pauseMs + MIN_ATTEMPT_MS <= remainingMs ? pauseMs : undefined;
};

export type AttemptOptions<Value> = {
  send: (options: RequestOptions) => Promise<Value>;
  context: OperationContext;
  credentials: Pick<Credentials, "refused">;
  secret: string;
  /** False once they were replaced: then a refusal is one, whatever others there may be. */
  mayReplace: boolean;
  isStart: boolean;
  /** What is left of the operation's time. The request itself has five seconds of it at most. */
  remainingMs: number;
  /** Told when the request is made, if it is. */
  onSent: () => void;
};

/** `repeat`: at once, with other credentials. `fail`: by the provider's doing, so another attempt may fare better. */
export type Attempted<Value> =
  | { do: "return"; value: Value }
  | { do: "repeat"; secret: string }
  | { do: "fail"; error: ProviderError }
  | { do: "throw"; error: unknown };

const isUnauthorized = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.status === 401 && error.kind === "authentication";

export const timeoutError = (): ProviderError =>
  new ProviderError("The provider did not answer (timeout).", {
    kind: "network",
    outcome: "failure",
    isRetryable: true,
    code: "timeout",
  });

/**
 * Makes the request. A 401 asks for other credentials before the circuit hears of it: with others to try it is neutral,
 * and without it is a failure, except while connecting. Neutral, too, is what keeps the others from being got: it says
 * nothing of this request, and where it is the provider's fault it was a guarded call of its own.
 */
export const attempt = async <Value>(
  guard: Guard,
  { send, context, credentials, secret, mayReplace, isStart, remainingMs, onSent }: AttemptOptions<Value>,
): Promise<Attempted<Value>> => {
  let unauthorized: ProviderError | undefined;
  let replacement: string | undefined;

  const askForOthers = async (): Promise<void> => {
    const others = credentials.refused(secret);
    if (mayReplace) {
      const other = await others;
      replacement = other === secret ? undefined : other;
      return;
    }
    // Who keeps them is to know that the new ones are refused as well; what comes of that is no longer ours.
    await others.catch(() => undefined);
  };

  const call = async (guardSignal: AbortSignal): Promise<Value> => {
    onSent();
    const timeout = AbortSignal.timeout(Math.min(ATTEMPT_TIMEOUT_MS, remainingMs));
    try {
      return await send({ secret, signal: AbortSignal.any([guardSignal, timeout]) });
    } catch (error) {
      if (isUnauthorized(error)) {
        unauthorized = error;
        await askForOthers();
      }
      throw error;
    }
  };

  const classifyError = (error: unknown) => {
    if (!(error instanceof ProviderError)) return "neutral";
    if (unauthorized === undefined) return error.outcome;
    const isRefusal = error === unauthorized && replacement === undefined && context.isConnecting !== true;
    return isRefusal ? error.outcome : "neutral";
  };

  try {
    const options = { isStart, classifyError, timeoutMs: remainingMs };
    return { do: "return", value: await guard(context.organizationId, call, options) };
  } catch (error) {
    if (error === unauthorized && replacement !== undefined) return { do: "repeat", secret: replacement };
    if (error instanceof CallTimeoutError) return { do: "fail", error: timeoutError() };
    if (error instanceof ProviderError && unauthorized === undefined) return { do: "fail", error };
    return { do: "throw", error };
  }
};
