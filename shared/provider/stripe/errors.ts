/** A failed request → ProviderError, by the table of docs/provider.md, "Errors". Pure. */
import type { IncomingHttpHeaders } from "node:http";
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { ProviderError } from "../provider-error.ts";

/** An answer that refuses a request; `code` and `type` are the provider's. */
export type Refusal = { status: number; headers: IncomingHttpHeaders; code?: string; type?: string; message?: string };

const optionalText = z.catch(z.optional(z.string()), undefined);
const SdkError = z.object({ code: optionalText, rawType: optionalText, message: optionalText });

/** A code of the provider. Other text, which may contain secrets, does not get into messages. */
const WORD = /^[a-z][a-z0-9_-]{0,63}$/;
const wordOf = (text: string | undefined): string | undefined =>
  text !== undefined && WORD.test(text) ? text : undefined;

/**
 * The refusal of an SDK error. Its message is used for decisions only: the provider's messages repeat parts of keys and
 * of users' input.
 */
export const refusalOf = (error: unknown, status: number, headers: IncomingHttpHeaders): Refusal => {
  const { code, rawType, message } = SdkError.safeParse(error).data ?? {};
  return { status, headers, ...definedFields({ code: wordOf(code), type: wordOf(rawType), message }) };
};

/** Retry-After in ms: from whole seconds, or from a date and the answer's own date. */
const retryAfterOf = ({ "retry-after": retryAfter, date }: IncomingHttpHeaders): number | undefined => {
  if (retryAfter === undefined) return undefined;
  if (/^[0-9]{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const wait = Date.parse(retryAfter) - Date.parse(date ?? "");
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
};

type Classification = Omit<ConstructorParameters<typeof ProviderError>[1], "status" | "code" | "retryAfterMs">;

/**
 * Whether the requested object does not exist. An unknown URL, or an object of the other mode (live or test), has the
 * same status, and the latter the same code; both are excluded, as the object may exist.
 */
const isMissing = ({ status, code, type, message = "" }: Refusal): boolean => {
  if (message.startsWith("Unrecognized request URL") || message.includes("similar object exists in")) return false;
  return code === "resource_missing" || (status === 404 && type === "invalid_request_error");
};

const classify = (refusal: Refusal): Classification => {
  const { status, code, type, headers } = refusal;
  const isLimit = status === 429 && headers["stripe-rate-limited-reason"] !== undefined;
  if (isLimit || code === "rate_limit" || type === "rate_limit_error")
    return { kind: "rate_limit", outcome: "failure", isRetryable: true };
  if (status === 429 || status === 409) {
    return { kind: "network", outcome: "success", isRetryable: true, reason: "lock_timeout" };
  }
  if (type === "invalid_grant" || code === "invalid_grant") {
    return { kind: "authentication", outcome: "success", isRetryable: false, reason: "invalid_grant" };
  }
  if (status === 401) return { kind: "authentication", outcome: "failure", isRetryable: false };
  if (status === 403) return { kind: "authorization", outcome: "success", isRetryable: false };
  if (status >= 400 && status < 500) {
    const reason = isMissing(refusal) ? ({ reason: "missing" } as const) : {};
    return { kind: "validation", outcome: "success", isRetryable: false, ...reason };
  }
  if (status >= 500) return { kind: "network", outcome: "failure", isRetryable: true };
  return unexpected;
};

/** An answer that the protocol does not define. */
const unexpected: Classification = { kind: "provider", outcome: "failure", isRetryable: true };

/** The error of an answer that refuses the request. */
export const errorOfRefusal = (refusal: Refusal): ProviderError => {
  const { status, headers } = refusal;
  const code = refusal.code ?? refusal.type;
  return new ProviderError(`The provider answered ${status}${code === undefined ? "" : ` (${code})`}.`, {
    ...classify(refusal),
    status,
    ...definedFields({ code, retryAfterMs: retryAfterOf(headers) }),
  });
};

/**
 * The error of a request without an answer, or with one that is not JSON. A rate limit that a header names counts
 * whatever the body is.
 * @param failure as in Exchange.
 */
export const errorOfFailure = (
  failure: string,
  { status, headers }: { status?: number; headers: IncomingHttpHeaders },
): ProviderError => {
  if (status === 429 && headers["stripe-rate-limited-reason"] !== undefined) return errorOfRefusal({ status, headers });
  if (failure === "not_sent") {
    return new ProviderError("The request could not be made.", {
      kind: "validation",
      outcome: "neutral",
      isRetryable: false,
      code: failure,
    });
  }
  const isAnswer = failure === "invalid_json" || failure === "too_large";
  const message = isAnswer ? "The provider's answer cannot be read" : "The provider did not answer";
  return new ProviderError(`${message} (${failure}).`, {
    kind: "network",
    outcome: "failure",
    isRetryable: true,
    code: failure,
    ...definedFields({ status, retryAfterMs: retryAfterOf(headers) }),
  });
};

/** The error of a read that is answered with an object that is not the requested one. Only this object is concerned. */
export const errorOfUnusable = (status: number): ProviderError =>
  new ProviderError("The provider's answer is not the object that was asked for.", {
    kind: "validation",
    outcome: "success",
    isRetryable: false,
    status,
    code: "unusable_object",
  });

/** The error of an answer in JSON of another shape than requested. */
export const errorOfUnexpected = (status: number): ProviderError =>
  new ProviderError("The provider's answer is not what was asked for.", {
    ...unexpected,
    status,
    code: "unexpected_answer",
  });
