/** The response to a request. A text is sent as it is, any other body as JSON. */
export type Answer = { status: number; headers?: Readonly<Record<string, string>>; body: unknown };

/** A refusal in the provider's words. */
export class RefusedError extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

type ErrorBody = { type?: string; code?: string; param?: string; message: string };

/** The provider's error body. */
export const errorAnswer = (status: number, error: ErrorBody, headers: Record<string, string> = {}): Answer => {
  const { type = "invalid_request_error", code, message, param } = error;
  const docUrl = code && { doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll("_", "-")}` };
  return {
    status,
    headers,
    body: { error: { ...(code && { code }), ...docUrl, message, ...(param && { param }), type } },
  };
};

export const refusal = (status: number, error: ErrorBody, headers?: Record<string, string>): RefusedError =>
  new RefusedError(errorAnswer(status, error, headers));

export const invalidParameter = (param: string, message: string, code?: string): RefusedError =>
  refusal(400, { param, message, ...(code !== undefined && { code }) });

/** No such object: 404 for the object itself, 400 for one that a parameter names. */
export const missing = (what: { type: string; id: string; param: string; status: 400 | 404 }): RefusedError =>
  refusal(what.status, {
    code: "resource_missing",
    message: `No such ${what.type}: '${what.id}'`,
    param: what.param,
  });

/** OAuth errors have their own body. */
export const oauthRefusal = (status: number, error: string, description: string): RefusedError =>
  new RefusedError({ status, body: { error, error_description: description } });
