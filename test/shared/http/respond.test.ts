import { describe, expect, it } from "@jest/globals";
import { respond, respondError, respondHtml } from "../../../shared/http/respond.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";

const always = { "cache-control": "no-store", "x-content-type-options": "nosniff", "x-request-id": "request-1" };

describe("a response", () => {
  it("has a body and its type only if there is a text", () => {
    expect(respond("request-1", 204)).toEqual({ statusCode: 204, headers: always });
    expect(respond("request-1", 200, "", { vary: "Accept" })).toEqual({
      statusCode: 200,
      headers: { ...always, "content-type": "application/json", vary: "Accept" },
      body: "",
    });
  });

  it("as a page forbids scripts, requests and frames, and sends no referrer", () => {
    expect(respondHtml("request-1", 200, { html: "<p>" }, { vary: "Accept" })).toEqual({
      statusCode: 200,
      headers: {
        ...always,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'$/),
        "referrer-policy": "no-referrer",
        vary: "Accept",
      },
      body: "<p>",
    });
  });

  it.each([
    [false, "'none'"],
    [true, "'self'"],
  ])("as a page may post to the service only if it has a form: %s", (hasForm, expected) => {
    const { headers } = respondHtml("request-1", 200, { html: "<p>", hasForm });
    expect(headers["content-security-policy"]).toContain(`form-action ${expected};`);
  });
});

describe("the response to an error", () => {
  const headersOf = (error: unknown) => respondError("request-1", error).headers;
  const json = { ...always, "content-type": "application/json" };

  it("has the number, the message and no other header", () => {
    expect(respondError("request-1", new DomainError("plant_exists", "It exists."))).toEqual({
      statusCode: 409,
      headers: json,
      body: '{"error":40901,"message":"It exists."}',
    });
    expect(headersOf(new DomainError("circuit_open", "Open."))).toEqual(json);
  });

  it("challenges after 401 only", () => {
    expect(headersOf(new DomainError("no_bearer_token", "No."))).toEqual({ ...json, "www-authenticate": "Bearer" });
    expect(headersOf(new DomainError("expired_token", "No."))).toEqual({
      ...json,
      "www-authenticate": 'Bearer error="invalid_token"',
    });
    expect(headersOf(new DomainError("role_may_not", "No."))).toEqual(json);
  });

  it("lists the methods of the path", () => {
    expect(headersOf(new DomainError("method_not_allowed", "No.", { allow: ["GET", "PUT"] }))).toEqual({
      ...json,
      allow: "GET, PUT",
    });
  });

  it.each([
    [undefined, "5"],
    [0, "1"],
    [0.2, "1"],
    [1.2, "2"],
    [7, "7"],
    [90.5, "91"],
  ])("says %p seconds as Retry-After %p", (retryAfterSeconds, expected) => {
    const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    expect(headersOf(new DomainError("provider_unavailable", "No.", options))).toEqual({
      ...json,
      "retry-after": expected,
    });
  });

  it.each([new Error("secret"), "secret", undefined])("tells nothing about %p", (thrown) => {
    const { statusCode, body } = respondError("request-1", thrown);
    expect(statusCode).toBe(500);
    expect(JSON.parse(body ?? "")).toEqual({ error: 50001, message: expect.stringMatching(/^The service failed/) });
  });
});
