import { describe, expect, it } from "@jest/globals";
import { createHttpEvent } from "../../../../infra/local/front-ends/http-event.ts";
import type { WireRequest } from "../../../../infra/local/http/front-end.ts";

const eventOf = (request: Partial<WireRequest>, pathParameters = {}) =>
  createHttpEvent(
    {
      method: "GET",
      target: "/plants",
      httpVersion: "1.1",
      rawHeaders: ["Host", "127.0.0.1:3000"],
      body: undefined,
      sourceIp: "127.0.0.1",
      ...request,
    },
    {
      accountId: "123456789012",
      apiId: "abc123",
      routeKey: "GET /plants",
      path: "/plants",
      pathParameters,
      port: 3000,
      requestId: "JKJaXmPLvHcESHA=",
      nowMs: Date.UTC(2026, 10, 21, 10, 5, 9, 123),
    },
  );

describe("an event of payload format 2.0", () => {
  it("has exactly these keys for the smallest request", () => {
    expect(eventOf({})).toStrictEqual({
      version: "2.0",
      routeKey: "GET /plants",
      rawPath: "/plants",
      rawQueryString: "",
      headers: {
        host: "127.0.0.1:3000",
        "x-amzn-trace-id": expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-port": "3000",
        "x-forwarded-proto": "http",
      },
      requestContext: {
        accountId: "123456789012",
        apiId: "abc123",
        domainName: "127.0.0.1",
        domainPrefix: "127",
        http: { method: "GET", path: "/plants", protocol: "HTTP/1.1", sourceIp: "127.0.0.1" },
        requestId: "JKJaXmPLvHcESHA=",
        routeKey: "GET /plants",
        stage: "$default",
        time: "21/Nov/2026:10:05:09 +0000",
        timeEpoch: Date.UTC(2026, 10, 21, 10, 5, 9, 123),
      },
      isBase64Encoded: false,
    });
  });

  it("lower-cases and joins headers, splits cookies and omits hop-by-hop headers", () => {
    const { headers, cookies, requestContext } = eventOf({
      rawHeaders: [
        "X-One",
        "a",
        "x-one",
        "b, c",
        "User-Agent",
        "curl/8",
        "Connection",
        "keep-alive",
        "Cookie",
        "a=1; b=2",
        "cookie",
        "c=3",
        "X-Forwarded-For",
        "203.0.113.9",
        "Transfer-Encoding",
        "chunked",
      ],
    });
    expect(headers).toMatchObject({
      "x-one": "a,b, c",
      "user-agent": "curl/8",
      "x-forwarded-for": "203.0.113.9, 127.0.0.1",
    });
    for (const name of ["cookie", "connection", "transfer-encoding"]) expect(headers).not.toHaveProperty(name);
    expect(cookies).toEqual(["a=1", "b=2", "c=3"]);
    expect(requestContext.http).toMatchObject({ userAgent: "curl/8", sourceIp: "127.0.0.1" });
  });

  it("has the query encoded in rawQueryString, and decoded and joined in queryStringParameters", () => {
    expect(eventOf({ target: "/plants?a=1&b=x%20y+z&a=2&empty=" })).toMatchObject({
      rawQueryString: "a=1&b=x%20y+z&a=2&empty=",
      queryStringParameters: { a: "1,2", b: "x y z", empty: "" },
    });
  });

  it("carries path parameters", () => {
    expect(eventOf({}, { id: "7" })).toMatchObject({ pathParameters: { id: "7" } });
  });

  const utf8 = Buffer.from('{"name":"Ñandú 🌱"}');
  const bytes = Buffer.from([0xff, 0x00, 0x80]);
  it.each([
    ["application/json", utf8, false],
    ["application/json; charset=utf-8", utf8, false],
    ["APPLICATION/JSON", utf8, false],
    ["application/problem+json", utf8, false],
    ["application/xml", utf8, false],
    ["application/javascript", utf8, false],
    ["application/x-www-form-urlencoded", utf8, true],
    ["text/plain", utf8, false],
    ["application/json", bytes, true],
    ["text/plain", bytes, true],
    ["application/octet-stream", utf8, true],
    ["application/jsonx", utf8, true],
    ["image/png", bytes, true],
    [undefined, utf8, true],
  ])("with content type %s: body %p, base64 %p", (contentType, body, isBase64Encoded) => {
    const event = eventOf({ rawHeaders: contentType === undefined ? [] : ["Content-Type", contentType], body });
    expect(event).toMatchObject({ isBase64Encoded, body: body.toString(isBase64Encoded ? "base64" : "utf8") });
    expect(event.headers).toMatchObject({ "content-length": String(body.length) });
  });

  it("keeps a byte-order mark for the function", () => {
    const body = Buffer.from("\ufeff{}");
    expect(eventOf({ rawHeaders: ["content-type", "application/json"], body })).toMatchObject({ body: "\ufeff{}" });
  });

  it("has no body if the request's body is empty", () => {
    const event = eventOf({ rawHeaders: ["content-type", "application/json"], body: Buffer.alloc(0) });
    expect(event).not.toHaveProperty("body");
    expect(event).toMatchObject({ isBase64Encoded: false, headers: { "content-length": "0" } });
  });
});
