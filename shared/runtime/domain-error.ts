import type { ErrorName } from "../terms/error-catalogue.ts";

/**
 * A failure that the service knows and can explain to its caller.
 * The name decides status and number (shared/terms/error-catalogue.ts). The message reaches the client: it says what is
 * wrong and where, and never holds a token, a table's name or another organization's data.
 */
export class DomainError extends Error {
  readonly code: ErrorName;
  /** Whole seconds after which a retry makes sense; overrides the catalogue's. */
  readonly retryAfterSeconds: number | undefined;
  /** The methods that a path knows; only with `method_not_allowed`. */
  readonly allow: readonly string[] | undefined;
  /**
   * Whose it was, where the request had a text that this service gave out to another scope (`org:…`, `user:…`). Neither
   * its sender nor the other one is told.
   */
  readonly foreignScope: string | undefined;

  constructor(
    code: ErrorName,
    message: string,
    options: {
      cause?: unknown;
      retryAfterSeconds?: number;
      allow?: readonly string[];
      foreignScope?: string | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "DomainError";
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
    this.foreignScope = options.foreignScope;
  }
}
