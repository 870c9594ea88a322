import { describe, expect, it } from "@jest/globals";
import { MAX_BODY_BYTES, parseBody } from "../../../shared/http/parse-body.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { httpEvent } from "../../support/http-event.ts";

const json = { "content-type": "application/json" };
const base64 = (bytes: Buffer | string) => ({
  headers: json,
  body: Buffer.from(bytes).toString("base64"),
  isBase64Encoded: true,
});
const padded = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;

describe("parseBody", () => {
  it.each([
    ["application/json"],
    ["Application/JSON; charset=UTF-8"],
    ['application/json;charset="utf-8"'],
    ["application/json; profile=x"],
  ])("accepts %s", async (type) => {
    const event = httpEvent({ headers: { "content-type": type }, body: '{"id":9007199254740993}' });
    await expect(parseBody(event)).resolves.toEqual({ id: 9007199254740993n });
  });

  it.each([["text/plain"], ["application/json5"], ["application/json; charset=latin1"], ["application/ld+json"], [""]])(
    "refuses %p with unsupported_media_type",
    async (type) => {
      const event = httpEvent({ headers: { "content-type": type }, body: "{}" });
      await expect(parseBody(event)).rejects.toMatchObject({ code: "unsupported_media_type" });
    },
  );

  it("decodes base64 first", async () => {
    await expect(parseBody(httpEvent(base64('{"name":"Käktus 🌵"}')))).resolves.toEqual({ name: "Käktus 🌵" });
  });

  it("treats no body as an empty object, whatever its type", async () => {
    await expect(parseBody(httpEvent({}))).resolves.toEqual({});
    await expect(parseBody(httpEvent({ body: "", headers: { "content-type": "text/plain" } }))).resolves.toEqual({});
  });

  it.each([
    ["broken JSON", { headers: json, body: '{"card":"4111111111111111"' }],
    ["only white space", { headers: json, body: "  " }],
    ["a byte-order mark", { headers: json, body: "\uFEFF{}" }],
    ["an encoded byte-order mark", base64(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))],
    ["bytes that are not UTF-8", base64(Buffer.from([0x22, 0xff, 0x22]))],
    ["a lone surrogate", { headers: json, body: '{"name":"\\ud800"}' }],
    ["a nesting that overflows the stack", { headers: json, body: "[".repeat(30_000) + "]".repeat(30_000) }],
  ])("refuses %s with invalid_json, without repeating the body", async (_what, parts) => {
    const failure = await parseBody(httpEvent(parts)).catch((error: unknown) => error);
    expect(failure).toEqual(new DomainError("invalid_json", "body: expected valid JSON in well-formed UTF-8"));
    expect(failure).not.toHaveProperty("cause");
  });

  it("accepts at most 64 KiB, counted as sent", async () => {
    await expect(parseBody(httpEvent({ headers: json, body: padded(MAX_BODY_BYTES) }))).resolves.toHaveLength(65_534);
    await expect(parseBody(httpEvent(base64(padded(MAX_BODY_BYTES))))).resolves.toHaveLength(65_534);
    for (const event of [
      httpEvent({ headers: json, body: padded(MAX_BODY_BYTES + 1) }),
      httpEvent({ headers: json, body: `"${"é".repeat(MAX_BODY_BYTES / 2)}"` }),
      httpEvent({ headers: { "content-type": "text/plain" }, body: padded(MAX_BODY_BYTES + 1) }),
    ]) {
      await expect(parseBody(event)).rejects.toMatchObject({ code: "body_too_large" });
    }
  });
});
