/**
 * One attempt of an operation: one request through the organization's circuit, and the decision about the next attempt.
 * docs/provider.md, "Operations".
 */
import { CallTimeoutError, type Guard } from "../circuit-breaker/guard.ts";
import type { Credentials, OperationContext, RequestOptions } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";

/** Decisions: the limits of an operation. */
const MAX_ATTEMPTS = 3;
export const OPERATION_DEADLINE_MS = 10_000;

/** The longest that one request may take: two that hang stay within the deadline. */
export const ATTEMPT_TIMEOUT_MS = 5_000;

/** With less time left, no attempt is made. */
export const MIN_ATTEMPT_MS = 500;

const BASE_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;

/**
 * The pause before the next attempt; undefined to give up. Exponential backoff with full jitter, at least as long as the
 * provider's Retry-After.
 * @param random from 0 to 1.
 */
export const pauseBefore = (
  error: ProviderError,
  { attempts, remainingMs, random }: { attempts: number; remainingMs: number; random: number },
): number | undefined => {
  if (!error.isRetryable || attempts >= MAX_ATTEMPTS) return undefined;
  const backoffMs = Math.round(random * Math.min(MAX_PAUSE_MS, BASE_PAUSE_MS * 2 ** attempts));
  const pauseMs = Math.max(backoffMs, error.retryAfterMs ?? 0);
  return pauseMs + MIN_ATTEMPT_MS <= remainingMs ? pauseMs : undefined;
};

export type AttemptOptions<Value> = {
  send: (options: RequestOptions) => Promise<Value>;
  context: OperationContext;
  credentials: Pick<Credentials, "refused">;
  secret: string;
  /** False if the credentials were replaced before: a second rejection is final. */
  mayReplace: boolean;
  isStart: boolean;
  /** What is left of the operation's time. */
  remainingMs: number;
  /** Called when the request is sent, if it is. */
  onSent: () => void;
};

/** `repeat`: at once, with other credentials. `fail`: the provider failed, so another attempt may succeed. */
export type Attempted<Value> =
  | { do: "return"; value: Value }
  | { do: "repeat"; secret: string }
  | { do: "fail"; error: ProviderError }
  | { do: "throw"; error: unknown };

/** Whether the provider rejected the secret of a request. */
export const isUnauthorized = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.status === 401 && error.kind === "authentication";

const isConnectionEnded = (error: unknown): boolean =>
  error instanceof ProviderError && error.reason === "connection_ended";

export const timeoutError = (): ProviderError =>
  new ProviderError("The provider did not answer (timeout).", {
    kind: "network",
    outcome: "failure",
    isRetryable: true,
    code: "timeout",
  });

/**
 * Makes the request. After a 401 it asks for credentials to try before the circuit counts the attempt: with some the 401
 * is neutral; without, and if the connection has ended, it is a failure, except while connecting. If asking fails, the
 * attempt is neutral too: a failed refresh is a guarded call of its own.
 */
export const attempt = async <Value>(
  guard: Guard,
  { send, context, credentials, secret, mayReplace, isStart, remainingMs, onSent }: AttemptOptions<Value>,
): Promise<Attempted<Value>> => {
  let unauthorized: ProviderError | undefined;
  let replacement: string | undefined;

  const replaceSecret = async (): Promise<void> => {
    const replacing = credentials.refused(secret);
    if (mayReplace) {
      replacement = await replacing;
      return;
    }
    // The credentials' owner must learn that the secret is rejected again; of its result only the end matters here.
    await replacing.catch((error: unknown) => {
      if (isConnectionEnded(error)) throw error;
    });
  };

  const call = async (guardSignal: AbortSignal): Promise<Value> => {
    onSent();
    const timeout = AbortSignal.timeout(Math.min(ATTEMPT_TIMEOUT_MS, remainingMs));
    try {
      return await send({ secret, signal: AbortSignal.any([guardSignal, timeout]) });
    } catch (error) {
      if (isUnauthorized(error)) {
        unauthorized = error;
        await replaceSecret();
      }
      throw error;
    }
  };

  const classifyError = (error: unknown) => {
    if (!(error instanceof ProviderError)) return "neutral";
    if (unauthorized === undefined || isConnectionEnded(error)) return error.outcome;
    const isFinal = error === unauthorized && replacement === undefined && context.isConnecting !== true;
    return isFinal ? error.outcome : "neutral";
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
