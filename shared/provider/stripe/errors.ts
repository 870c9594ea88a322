/** What went wrong with a request → ProviderError. The table: docs/provider.md, "Errors". Pure. */
import type { IncomingHttpHeaders } from "node:http";
import * as z from "zod/mini";
import { ProviderError } from "../provider-error.ts";

/** What an answer says of itself; `code` and `type` are the provider's words, where it has them. */
export type Refusal = { status: number; headers: IncomingHttpHeaders; code?: string; type?: string; message?: string };

const maybe = z.catch(z.optional(z.string()), undefined);
const SdkError = z.object({ code: maybe, rawType: maybe, message: maybe });

/** A word of the provider's; whatever else might stand in its place does not get into messages. */
const WORD = /^[a-z][a-z0-9_-]{0,63}$/;
const wordOf = (said: string | undefined): string | undefined =>
  said !== undefined && WORD.test(said) ? said : undefined;

/**
 * What an error of the SDK says. Its message is kept for decisions only, and never passed on: the provider's messages
 * repeat parts of keys, and what a user sent.
 */
export const refusalOf = (error: unknown, status: number, headers: IncomingHttpHeaders): Refusal => {
  const { code, rawType, message } = SdkError.safeParse(error).data ?? {};
  const word = wordOf(code);
  const type = wordOf(rawType);
  return {
    status,
    headers,
    ...(word !== undefined && { code: word }),
    ...(type !== undefined && { type }),
    ...(message !== undefined && { message }),
  };
};

/** Retry-After in ms: whole seconds, or a date, which counts from the answer's own. */
const retryAfterOf = ({ "retry-after": said, date }: IncomingHttpHeaders): number | undefined => {
  if (said === undefined) return undefined;
  if (/^[0-9]{1,6}$/.test(said)) return Number(said) * 1_000;
  const wait = Date.parse(said) - Date.parse(date ?? "");
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
};

type Judgement = Omit<ConstructorParameters<typeof ProviderError>[1], "status" | "code" | "retryAfterMs">;

/**
 * Whether the object that was asked for does not exist. It may, where the provider knows no such address, or where a
 * key of its test mode asks for an object of its live mode: both have the same status, and the latter the same code.
 */
const isMissing = ({ status, code, type, message = "" }: Refusal): boolean => {
  if (message.startsWith("Unrecognized request URL") || message.includes("similar object exists in")) return false;
  return code === "resource_missing" || (status === 404 && type === "invalid_request_error");
};

const judge = (refusal: Refusal): Judgement => {
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

/** An answer that the protocol does not know. */
const unexpected: Judgement = { kind: "provider", outcome: "failure", isRetryable: true };

/** The error of an answer that refuses, or that says nothing that we could use. */
export const errorOfRefusal = (refusal: Refusal): ProviderError => {
  const { status, headers } = refusal;
  const code = refusal.code ?? refusal.type;
  const retryAfterMs = retryAfterOf(headers);
  return new ProviderError(`The provider answered ${status}${code === undefined ? "" : ` (${code})`}.`, {
    ...judge(refusal),
    status,
    ...(code !== undefined && { code }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
};

/**
 * The error of a request without an answer, or with one that is no JSON.
 * @param failure why, as Exchange has it; a limit that the provider names in a header stands whatever the body is.
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
  const retryAfterMs = retryAfterOf(headers);
  return new ProviderError(`${message} (${failure}).`, {
    kind: "network",
    outcome: "failure",
    isRetryable: true,
    code: failure,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
};

/** The error of an answer that is JSON, and not what was asked for. */
export const errorOfUnexpected = (status: number): ProviderError =>
  new ProviderError("The provider's answer is not what was asked for.", {
    ...unexpected,
    status,
    code: "unexpected_answer",
  });
