import { describe, expect, it } from "@jest/globals";
import { ProviderError } from "../../../../shared/provider/provider-error.ts";
import {
  errorOfFailure,
  errorOfRefusal,
  errorOfUnexpected,
  errorOfUnusable,
  refusalOf,
} from "../../../../shared/provider/stripe/errors.ts";

const refused = { outcome: "success", isRetryable: false } as const;
const limited = { "stripe-rate-limited-reason": "global-rate" };

describe("a refusal", () => {
  it.each([
    ["429 alone", { status: 429 }, { kind: "network", outcome: "success", reason: "lock_timeout", isRetryable: true }],
    ["the limit's header alone", { status: 400, headers: limited }, { ...refused, kind: "validation" }],
    ["409", { status: 409 }, { kind: "network", outcome: "success", reason: "lock_timeout", isRetryable: true }],
    ["399", { status: 399 }, { kind: "provider", outcome: "failure", isRetryable: true }],
    ["400", { status: 400 }, { ...refused, kind: "validation", reason: undefined }],
    ["499", { status: 499 }, { ...refused, kind: "validation" }],
    ["500", { status: 500 }, { kind: "network", outcome: "failure", isRetryable: true }],
    ["404 without a type", { status: 404 }, { ...refused, kind: "validation", reason: undefined }],
    [
      "400 with the type of a missing object",
      { status: 400, type: "invalid_request_error" },
      { ...refused, kind: "validation", reason: undefined },
    ],
    ["404 of another type", { status: 404, type: "card_error" }, { ...refused, kind: "validation", reason: undefined }],
    [
      "a grant refused by its type",
      { status: 400, type: "invalid_grant" },
      { ...refused, kind: "authentication", reason: "invalid_grant" },
    ],
    [
      "a grant refused by its code",
      { status: 400, code: "invalid_grant" },
      { ...refused, kind: "authentication", reason: "invalid_grant" },
    ],
  ])("of %s", (_what, refusal, expected) => {
    expect(errorOfRefusal({ headers: {}, ...refusal })).toMatchObject({ ...expected, status: refusal.status });
  });

  it("is named by its code, else by its type, else by its status", () => {
    const named = { status: 400, headers: {}, code: "code", type: "type" };
    expect(errorOfRefusal(named)).toMatchObject({ code: "code", message: "The provider answered 400 (code)." });
    const { code: _, ...typed } = named;
    expect(errorOfRefusal(typed)).toMatchObject({ code: "type", message: "The provider answered 400 (type)." });
    const bare = errorOfRefusal({ status: 400, headers: {} });
    expect(bare).toMatchObject({ code: undefined, message: "The provider answered 400." });
    expect(Object.hasOwn(bare, "cause")).toBe(false);
  });

  it.each([
    ["a", "a"],
    [`a${"-_9".repeat(21)}`, `a${"-_9".repeat(21)}`],
    [`a${"b".repeat(64)}`, undefined],
    ["", undefined],
    ["Key", undefined],
    ["x-sk_test_51 secret", undefined],
    [" code", undefined],
    ["9code", undefined],
    ["no\n", undefined],
    [undefined, undefined],
    [7, undefined],
  ])("takes the code %j over as %j", (code, expected) => {
    const headers = { date: "now" };
    const fields = expected === undefined ? {} : { code: expected, type: expected };
    expect(refusalOf({ code, rawType: code }, 400, headers)).toEqual({ status: 400, headers, ...fields });
  });

  it.each([undefined, null, "text", 7])("of the error %j has a status only", (error) => {
    expect(refusalOf(error, 400, {})).toEqual({ status: 400, headers: {} });
  });
});

describe("a request without a readable answer", () => {
  it.each([
    ["invalid_json", "The provider's answer cannot be read (invalid_json)."],
    ["too_large", "The provider's answer cannot be read (too_large)."],
    ["timeout", "The provider did not answer (timeout)."],
  ])("by %s is the network's failure", (failure, message) => {
    expect(errorOfFailure(failure, { headers: {} })).toMatchObject({
      kind: "network",
      outcome: "failure",
      isRetryable: true,
      code: failure,
      message,
      status: undefined,
    });
  });

  it("that was not sent is neutral", () => {
    expect(errorOfFailure("not_sent", { headers: {} })).toMatchObject({
      kind: "validation",
      outcome: "neutral",
      isRetryable: false,
      code: "not_sent",
    });
  });

  it.each([
    [429, limited, { kind: "rate_limit", code: undefined }],
    [429, {}, { kind: "network", outcome: "failure", code: "invalid_json" }],
    [503, limited, { kind: "network", outcome: "failure", code: "invalid_json" }],
  ])("with the status %j and the headers %j is %j", (status, headers, expected) => {
    expect(errorOfFailure("invalid_json", { status, headers })).toMatchObject({ ...expected, status });
  });
});

it("an answer of another shape may be asked for again", () => {
  expect(errorOfUnexpected(200)).toMatchObject({
    kind: "provider",
    outcome: "failure",
    isRetryable: true,
    code: "unexpected_answer",
    status: 200,
  });
});

it("another object than the requested one is this object's fault", () => {
  expect(errorOfUnusable(200)).toMatchObject({
    kind: "validation",
    outcome: "success",
    isRetryable: false,
    code: "unusable_object",
    status: 200,
  });
});

describe("Retry-After", () => {
  const date = "Sat, 21 Nov 2026 10:00:00 GMT";
  it.each([
    [{ "retry-after": "999999" }, 999_999_000],
    [{ "retry-after": "1000000" }, undefined],
    [{ "retry-after": "7s" }, undefined],
    [{ "retry-after": date, date }, 0],
    [{ "retry-after": "Sat, 21 Nov 2026 10:00:01 GMT", date }, 1_000],
    [{ "retry-after": "Sat, 21 Nov 2026 09:59:59 GMT", date }, undefined],
    [{ "retry-after": date }, undefined],
    [{ date }, undefined],
  ])("of %j is %j ms", (headers, expected) => {
    expect(errorOfRefusal({ status: 503, headers }).retryAfterMs).toBe(expected);
    expect(errorOfFailure("timeout", { headers }).retryAfterMs).toBe(expected);
  });
});

it("a provider error keeps its cause", () => {
  const cause = new Error("cause");
  expect(new ProviderError("failed", { kind: "network", outcome: "failure", isRetryable: true, cause }).cause).toBe(
    cause,
  );
});
