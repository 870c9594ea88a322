import { describe, expect, it } from "@jest/globals";
import { requireContract } from "./contract.ts";

const ID = { "x-request-id": "1" };
const plants = (status: number, headers: Record<string, string>, body: unknown) =>
  requireContract("GET", "/plants", new Response(null, { status, headers }), body);
const unavailable = { error: 50301, message: "Try again." };

describe("the contract of an answer", () => {
  it("holds if it has the headers that the document describes", () => {
    plants(200, { ...ID, link: "</plants>", "x-next-cursor": "a" }, []);
    plants(503, { ...ID, "retry-after": "1" }, unavailable);
    requireContract("GET", "/nowhere", new Response(null, { status: 404, headers: ID }), unavailable);
  });

  it.each([
    ["without x-request-id", 200, {}, [], /without the documented header x-request-id/],
    ["that is 503 without Retry-After", 503, ID, unavailable, /without the documented header retry-after/],
    [
      "with an undocumented Retry-After",
      200,
      { ...ID, "retry-after": "1" },
      [],
      /retry-after, which is not documented/,
    ],
    ["with an undocumented Link", 503, { ...ID, "retry-after": "1", link: "<>" }, unavailable, /link, which is not/],
    ["with an undocumented cursor", 404, { ...ID, "x-next-cursor": "a" }, unavailable, /404, which is not documented/],
  ])("is broken by an answer %s", (_title, status, headers, body, message) => {
    expect(() => plants(status, headers, body)).toThrow(message);
  });

  it("is broken by an unknown route without x-request-id", () => {
    const response = new Response(null, { status: 404 });
    expect(() => requireContract("GET", "/nowhere", response, unavailable)).toThrow("x-request-id");
  });
});
