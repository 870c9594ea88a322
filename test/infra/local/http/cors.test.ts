import { describe, expect, it } from "@jest/globals";
import { answerPreflight, withCors } from "../../../../infra/local/http/cors.ts";

const cors = {
  allowOrigins: ["https://app.example.com", "https://admin.example.com"],
  allowMethods: ["GET", "POST"],
  allowHeaders: ["authorization", "idempotency-key"],
  exposeHeaders: ["link", "x-request-id"],
  maxAgeSeconds: 3_600,
};

const request = (method: string, headers: Record<string, string> = {}) => ({
  method,
  target: "/plants",
  httpVersion: "1.1",
  body: undefined,
  sourceIp: "127.0.0.1",
  rawHeaders: Object.entries(headers).flat(),
});
const answer = (headers: Record<string, string> = {}) => ({ statusCode: 401, headers, body: Buffer.from("{}") });

const READABLE = {
  "access-control-allow-origin": "https://admin.example.com",
  "access-control-expose-headers": "link,x-request-id",
};

describe("an HTTP API with CORS", () => {
  it("adds its headers to a function's answer, errors included, in place of the function's own", () => {
    const sent = request("GET", { Origin: "https://admin.example.com" });
    const own = { "access-control-allow-origin": "*", "access-control-allow-credentials": "true", link: "next" };
    expect(withCors(cors, sent, answer(own))).toEqual({ ...answer({ link: "next", ...READABLE }) });
  });

  it("adds nothing for an origin that is not allowed, and without an origin", () => {
    for (const headers of [{}, { Origin: "https://evil.example.com" }, { Origin: "null" }])
      expect(withCors(cors, request("GET", headers as Record<string, string>), answer())).toEqual(answer());
  });

  it("changes nothing without CORS", () => {
    const own = answer({ "access-control-allow-origin": "*" });
    expect(withCors(undefined, request("GET", { Origin: "https://admin.example.com" }), own)).toBe(own);
    expect(answerPreflight(undefined, request("OPTIONS"))).toBeUndefined();
  });

  it("answers an OPTIONS request that no route takes", () => {
    const preflight = request("OPTIONS", {
      origin: "https://admin.example.com",
      "access-control-request-method": "POST",
    });
    expect(answerPreflight(cors, preflight)).toMatchObject({
      statusCode: 204,
      headers: {
        ...READABLE,
        "access-control-allow-methods": "GET,POST",
        "access-control-allow-headers": "authorization,idempotency-key",
        "access-control-max-age": "3600",
      },
    });
    expect(answerPreflight(cors, request("OPTIONS"))).toMatchObject({ statusCode: 204, headers: {} });
    expect(answerPreflight(cors, request("GET"))).toBeUndefined();
  });
});
