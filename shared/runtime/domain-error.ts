import type { ErrorName } from "../terms/error-catalogue.ts";

/**
 * A failure that the service can explain to its caller. Its code decides status and number
 * (shared/terms/error-catalogue.ts). Its message reaches the client: it must name the problem and its location, and must
 * not contain tokens, table names or other organizations' data.
 */
export class DomainError extends Error {
  readonly code: ErrorName;
  /** Seconds until the client may retry; overrides the catalogue's default. */
  readonly retryAfterSeconds: number | undefined;
  /** The methods of the path; only with `method_not_allowed`. */
  readonly allow: readonly string[] | undefined;
  /**
   * The scope (`org:…`, `user:…`) of the cursor or state in the request, if it is not the caller's. The client does not
   * receive it.
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
