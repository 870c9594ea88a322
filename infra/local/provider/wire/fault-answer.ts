import type { Fault, RateLimitReason } from "../faults/faults.ts";
import { type Answer, errorAnswer } from "./requests/answer.ts";

const ERRORS = {
  400: { code: "parameter_invalid_integer", message: "Invalid integer: simulated", param: "limit" },
  401: { message: "Invalid API Key provided: sk_test_****ated" },
  402: { type: "card_error", code: "card_declined", message: "Your card was declined." },
  403: {
    code: "account_invalid",
    message:
      "The provided key 'sk_test_****ated' does not have access to this account (or that account does not exist). Application access may have been revoked.",
  },
  404: { code: "resource_missing", message: "No such object: 'simulated'", param: "id" },
  409: {
    type: "idempotency_error",
    message: "There is currently another in-progress request using this Idempotent Key.",
  },
  500: { type: "api_error", message: "An unknown error occurred" },
  502: { type: "api_error", message: "Bad gateway" },
  503: { type: "api_error", message: "Service temporarily unavailable" },
  504: { type: "api_error", message: "Gateway time-out" },
} as const;

const LIMITED =
  "Request rate limit exceeded. You can learn more about rate limits here https://stripe.com/docs/rate-limits.";
const LOCKED =
  "This object cannot be accessed right now because another API request or Stripe process is currently accessing it. If you see this error intermittently, retry the request. If you see this error frequently and are making multiple concurrent requests to a single object, make your requests serially or at a lower rate.";

const page = (status: number) =>
  `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr><center>nginx</center></body></html>`;

/** The answer to a request that exceeds a limit. The provider's own answers have no `Retry-After`. */
export const rateLimitAnswer = (reason: RateLimitReason, headers: Record<string, string> = {}): Answer =>
  errorAnswer(
    429,
    { code: "rate_limit", message: LIMITED },
    { ...headers, "stripe-rate-limited-reason": reason, "stripe-should-retry": "false" },
  );

/** The answer of a fault; undefined if the fault sends no answer. */
export const faultAnswer = (fault: Fault): Answer | undefined => {
  const retryAfter = fault.retryAfterSeconds;
  const wait: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  switch (fault.kind) {
    case "rate_limit":
      return rateLimitAnswer(fault.reason, wait);
    case "lock_timeout":
      return errorAnswer(429, { code: "lock_timeout", message: LOCKED }, { ...wait, "stripe-should-retry": "true" });
    case "error": {
      const advice: Record<string, string> = fault.status === 503 ? { "stripe-should-retry": "true" } : {};
      return errorAnswer(fault.status, ERRORS[fault.status], { ...wait, ...advice });
    }
    case "html":
      return { status: fault.status, headers: { ...wait, "content-type": "text/html" }, body: page(fault.status) };
    default:
      return undefined;
  }
};
