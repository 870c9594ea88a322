import { describe, expect, it } from "@jest/globals";
import { redact } from "../../../../shared/security/redaction/redact.ts";

const CARD = 4_242_424_242_424_242;

describe("redact: names", () => {
  it.each([
    [{ password: "hunter2" }, { password: "[redacted:password]" }],
    [
      { DB_PASSWORD_2: "hunter2", "x-api-key": "k" },
      { DB_PASSWORD_2: "[redacted:password]", "x-api-key": "[redacted:key]" },
    ],
    [
      { clientSecret: "s", "webhook.secrets": ["a", "b"] },
      { clientSecret: "[redacted:secret]", "webhook.secrets": "[redacted:secret]" },
    ],
    [
      { refreshToken: "r", myAccessTokenOld: "t" },
      { refreshToken: "[redacted:token]", myAccessTokenOld: "[redacted:token]" },
    ],
    [
      { Authorization: "x", "set-cookie": ["a=b"] },
      { Authorization: "[redacted:authorization]", "set-cookie": ["[redacted:cookie]"] },
    ],
    [
      { cvc: 123, pin: 1234, accountNumber: 12345678 },
      { cvc: "[redacted:cvc]", pin: "[redacted:password]", accountNumber: "[redacted:account]" },
    ],
    [
      { sort_code: "123456", routingNumber: "021000021" },
      { sort_code: "[redacted:account]", routingNumber: "[redacted:account]" },
    ],
    [{ credentials: { a: { b: "c" } } }, { credentials: "[redacted:secret]" }],
    [{ cookies: [{ a: "b", n: 4 }] }, { cookies: [{ a: "[redacted:cookie]", n: 4 }] }],
    [{ headers: [{ name: "X-Api-Key", value: "abc" }] }, { headers: [{ name: "X-Api-Key", value: "[redacted:key]" }] }],
    [{ key: "9zKq3VbT7xYw2LmN8pRs" }, { key: "[redacted:key]" }],
    [{ ｐａｓｓｗｏｒｄ: "x" }, { ｐａｓｓｗｏｒｄ: "[redacted:password]" }],
  ])("redacts %j", (value, expected) => {
    expect(redact(value)).toEqual(expected);
  });

  it.each([
    { tokenExpiresAt: 1_762_300_000_000, tokenType: "Bearer", passwordChangedAt: 1 },
    { tokens: 3, hasPassword: true, apiKey: null, secret: "" },
    { byCategory: { authorization: 3 }, byType: { PROVIDER_TOKEN_REFRESH: { count: 3 } } },
    {
      secretArn: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:oauth-AbCdEf",
      cvc_check: "pass",
      last4: "4242",
    },
    { key: "reports/2026/11/05/compliance.json", keyId: "0192f0aa-7c1e-7cc3-98a1-0242ac120002" },
    { accountId: "acct_1032D82eZvKYlo2C", eventType: "PROVIDER_TOKEN_REFRESH", category: "authorization" },
    { rule: "repeated_auth_failures", counts: { repeated_auth_failures: { n: 1, rule: "x" } } },
  ])("leaves %j", (value) => {
    expect(redact(value)).toEqual(value);
  });
});

describe("redact: numbers", () => {
  it("replaces card numbers, except in our numeric fields", () => {
    expect(redact({ x: CARD, y: [CARD], z: BigInt(CARD), "-": -CARD })).toEqual({
      x: "[redacted:card]",
      y: ["[redacted:card]"],
      z: "[redacted:card]",
      "-": "[redacted:card]",
    });
    const ours = { amountDue: CARD, durationMs: CARD, count: CARD, createdAt: CARD, id: CARD, plantIds: [CARD] };
    expect(redact(ours)).toEqual(ours);
  });

  it("keeps times, amounts, fractions and numbers without a check digit", () => {
    const value = { a: 1_762_300_000_005, b: 12.5, c: -3, d: CARD + 1, e: 1e21, f: CARD / 1e3 };
    expect(redact(value)).toEqual(value);
  });

  it("returns JSON numbers, and digits for larger integers", () => {
    expect(redact([1n, 9_007_199_254_740_993n, Number.NaN, Infinity])).toEqual([1, "9007199254740993", null, null]);
  });

  it("keeps the digits of our own ids, but replaces tokens in them", () => {
    expect(
      redact({
        userId: "facebook|10154287027510302",
        organizationId: String(CARD),
        eventIds: [String(CARD)],
        changedBy: String(CARD),
        sessionId: "sk_live_1",
      }),
    ).toEqual({
      userId: "facebook|10154287027510302",
      organizationId: String(CARD),
      eventIds: [String(CARD)],
      changedBy: String(CARD),
      sessionId: "[redacted:api_key]",
    });
  });
});

describe("redact: shapes", () => {
  it("redacts keys", () => {
    expect(redact({ "4242 4242 4242 4242": 1, AKIAIOSFODNNEXAMPLEX: 2 })).toEqual({
      "[redacted:card]": 1,
      "[redacted:aws_key]": 2,
    });
  });

  it("keeps name and message of errors and dates as ISO texts, but no binary data", () => {
    expect(redact({ error: new TypeError("token=abc"), at: new Date(0), data: Buffer.from("hunter2") })).toEqual({
      error: { name: "TypeError", message: "token=[redacted:token]" },
      at: "1970-01-01T00:00:00.000Z",
      data: "[redacted:binary]",
    });
  });

  it("omits values that JSON omits, and makes them null in arrays", () => {
    expect(redact({ a: undefined, b: () => 1, c: [undefined, Symbol("x")] })).toEqual({ c: [null, null] });
  });

  it("sets no prototype", () => {
    const redacted = redact(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(Object.keys(redacted as object)).toEqual(["__proto__"]);
    expect((redacted as { admin?: unknown }).admin).toBeUndefined();
  });

  it("limits cycles, depth and breadth", () => {
    const cycle: { self?: unknown; token: string } = { token: "abc" };
    cycle.self = [cycle, cycle];
    const text = JSON.stringify(redact(cycle));
    expect(text).toContain("[cut:");
    expect(text).not.toContain("abc");

    let deep: unknown = "sk_live_1";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(JSON.stringify(redact(deep))).toContain("[cut:depth]");

    const wide = redact(Array.from({ length: 30_000 }, () => "sk_live_1"));
    expect(wide).toHaveLength(30_000);
    expect(new Set(wide as string[])).toEqual(new Set(["[redacted:api_key]", "[cut:size]"]));
  });

  it("replaces values that cannot be read", () => {
    const value = {
      get broken(): string {
        throw new Error("no");
      },
    };
    expect(redact(value)).toBe("[redacted:unreadable]");
  });
});
