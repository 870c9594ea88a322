import { DomainError } from "../runtime/domain-error.ts";

/** The provider was not called: the circuit is open, or all permits of a half-open round are out. */
export class CircuitOpenError extends DomainError {
  /** When asking again makes sense, in epoch ms. None while an operator holds the circuit open. */
  readonly retryAt: number | undefined;

  /** @param now epoch ms, from which Retry-After counts. */
  constructor(retryAt: number | undefined, now: number) {
    super(
      "circuit_open",
      retryAt === undefined
        ? "An operator holds the circuit open: the provider is not called."
        : "The circuit is open after failures: the provider is not called for a while.",
      retryAt === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil((retryAt - now) / 1_000)) },
    );
    this.retryAt = retryAt;
  }
}

/** A guarded call took too long. It counts as a failure, and its signal is aborted. */
export class CallTimeoutError extends Error {
  override readonly name = "CallTimeoutError";
}
