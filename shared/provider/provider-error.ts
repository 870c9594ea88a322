import type { Outcome } from "../circuit-breaker/decide.ts";
import type { ErrorKind } from "../terms/risk-levels.ts";

/** Why a request failed, if callers decide by it. */
export type ProviderErrorReason =
  /** The named object does not exist, or no longer. */
  | "missing"
  /** The refresh token or authorization code is not valid, or no longer. */
  | "invalid_grant"
  /** Another request locks the object; no rate limit was exceeded. */
  | "lock_timeout"
  /** The credentials are valid as far as is known, but may not do this. */
  | "not_permitted"
  /** The credentials are rejected, and their connection has ended or must be made again, which has an event of its own. */
  | "connection_ended";

type Details = {
  kind: ErrorKind;
  /** What the error counts as in the circuit: neutral or success if the provider answered as it should. */
  outcome: Outcome;
  isRetryable: boolean;
  reason?: ProviderErrorReason;
  /** HTTP status; undefined without an answer. */
  status?: number;
  /** The provider's error code, for the security event. */
  code?: string;
  retryAfterMs?: number;
  cause?: unknown;
};

/**
 * A request that the provider rejected, failed or did not answer. The message contains no secret and no personal data.
 * docs/provider.md, "Errors", has the error of each answer.
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly kind: ErrorKind;
  readonly outcome: Outcome;
  readonly isRetryable: boolean;
  readonly reason: ProviderErrorReason | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { kind, outcome, isRetryable, reason, status, code, retryAfterMs, cause }: Details) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.outcome = outcome;
    this.isRetryable = isRetryable;
    this.reason = reason;
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whether the credentials may not read a whole list, or the provider has no such list. */
export const isUnreadable = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && (error.status === 403 || (error.status === 404 && error.reason !== "missing"));
