/** Why a request got no answer. docs/notifications.md, "Tries", explains each. */
export const requestFailures = [
  "refused_url",
  "refused_address",
  "name_not_resolved",
  "not_connected",
  "tls_failed",
  "timed_out",
  "answer_invalid",
  "connection_lost",
] as const;
export type RequestFailure = (typeof requestFailures)[number];

/** A request without an answer. Neither message nor cause contains the URL, which may be a secret. */
export class GuardedRequestError extends Error {
  override name = "GuardedRequestError";
  readonly failure: RequestFailure;

  constructor(failure: RequestFailure, options?: { cause: unknown }) {
    super(`The request failed: ${failure}.`, options);
    this.failure = failure;
  }
}

/** The code of an error of Node or OpenSSL; empty if it has none. */
export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
