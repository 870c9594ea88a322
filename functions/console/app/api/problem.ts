/** A request that failed, with the sentence and the request id that the user needs. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** The number of the error catalogue; undefined if the answer has another form, such as the gateway's. */
  readonly code: number | undefined;
  readonly requestId: string | undefined;
  /** When it is worth trying again, in seconds. */
  readonly retryAfterS: number | undefined;

  constructor(
    message: string,
    details: { status?: number; code?: number; requestId?: string; retryAfterS?: number } = {},
  ) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfterS = details.retryAfterS;
  }

  /** Whether the request may have taken effect, or may succeed if it is sent again. */
  get isTemporary(): boolean {
    return this.status === undefined || this.status === 429 || this.status >= 500;
  }

  get isForbidden(): boolean {
    return this.status === 403;
  }
}

const isErrorBody = (body: unknown): body is { error: number; message: string } =>
  typeof body === "object" && body !== null && "error" in body && "message" in body && typeof body.message === "string";

/** @param body the parsed body of the answer. */
export const problemOf = (response: Response, body: unknown): Problem => {
  const requestId = response.headers.get("x-request-id") ?? response.headers.get("apigw-requestid");
  const retryAfterS = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new Problem(isErrorBody(body) ? body.message : `The service answered ${response.status}.`, {
    status: response.status,
    ...(isErrorBody(body) && { code: body.error }),
    ...(requestId !== null && { requestId }),
    ...(Number.isFinite(retryAfterS) && { retryAfterS }),
  });
};

/** Any thrown value as a problem. */
export const asProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem(
        navigator.onLine ? "The service does not answer. The connection may be down." : "This computer is offline.",
      );
