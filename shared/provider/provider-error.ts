import type { Outcome } from "../circuit-breaker/decide.ts";
import type { ErrorKind } from "../terms/risk-levels.ts";

/** What a caller may decide upon, besides the kind. */
export type ProviderErrorReason =
  /** The object that was named does not exist (any more). */
  | "missing"
  /** A refresh token or an authorization code that is not good (any more). */
  | "invalid_grant"
  /** Another request holds the object; nobody's limit was exceeded. */
  | "lock_timeout";

type Said = {
  kind: ErrorKind;
  /** What it means to the circuit. Where it is neutral or a success, the provider answered as it should. */
  outcome: Outcome;
  isRetryable: boolean;
  reason?: ProviderErrorReason;
  /** HTTP status; none where no answer came. */
  status?: number;
  /** The provider's word for it, for the security event. */
  code?: string;
  retryAfterMs?: number;
  cause?: unknown;
};

/**
 * A request that the provider refused, failed or did not answer, in the domain's words. The message holds nothing
 * secret and no personal data. What each answer becomes: docs/provider.md, "Errors".
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

  constructor(message: string, { kind, outcome, isRetryable, reason, status, code, retryAfterMs, cause }: Said) {
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
