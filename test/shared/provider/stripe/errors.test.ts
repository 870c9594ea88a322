import { createServer } from "node:net";
import { describe, expect, it } from "@jest/globals";
import type { ProviderError } from "../../../../shared/provider/provider-error.ts";
import { createStripeAdapter } from "../../../../shared/provider/stripe/adapter.ts";
import { usePerFile } from "../../../support/use-started.ts";
import { json, refusal, reset, type Script, silence, startWireServer } from "./wire-server.ts";

const KEY = "sk_test_51ABCDEFsecretkey";

const server = usePerFile(startWireServer);

/** The error of reading the account. */
const errorOf = async (url: string, timeoutMs = 60_000): Promise<ProviderError> => {
  const adapter = createStripeAdapter({ url, clock: Date.now });
  const reading = adapter.at({ secret: KEY, signal: AbortSignal.timeout(timeoutMs) }).readAccount();
  return reading.then(
    () => {
      throw new Error("The call did not fail.");
    },
    (error: ProviderError) => error,
  );
};

const text =
  (status: number, body: string, headers: Record<string, string> = {}): Script =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Announces more bytes than it sends, and closes. */
const cutOff: Script = (response) => {
  response.writeHead(200, { "content-length": "1000" });
  response.write('{"object":"account","id":"acct', () => response.socket?.resetAndDestroy());
};

/** More bytes than any page of objects, without an end. */
const endless: Script = (response) => {
  const megabyte = " ".repeat(1_024 * 1_024);
  const write = (): void => {
    while (!response.destroyed && response.write(megabyte));
    if (!response.destroyed) response.once("drain", write);
  };
  response.writeHead(200, { "content-type": "application/json" });
  write();
};

const limited = { "Stripe-Rate-Limited-Reason": "global-rate" };

type Expected = Partial<Pick<ProviderError, "kind" | "outcome" | "isRetryable" | "reason" | "status" | "code">>;

const rateLimit = { kind: "rate_limit", outcome: "failure", isRetryable: true } as const;
const lockTimeout = { kind: "network", outcome: "success", isRetryable: true, reason: "lock_timeout" } as const;
const refused = { outcome: "success", isRetryable: false, reason: undefined } as const;
const unreachable = { kind: "network", outcome: "failure", isRetryable: true, reason: undefined } as const;

describe("an answer of the provider becomes", () => {
  const rows: [string, Script, Expected][] = [
    ["429 with a reason", refusal(429, { type: "invalid_request_error" }, limited), { ...rateLimit, status: 429 }],
    [
      "429 by its code",
      refusal(429, { type: "invalid_request_error", code: "rate_limit" }),
      { ...rateLimit, code: "rate_limit" },
    ],
    ["429 by its type", refusal(429, { type: "rate_limit_error" }), { ...rateLimit, code: "rate_limit_error" }],
    ["400 by its code", refusal(400, { type: "invalid_request_error", code: "rate_limit" }), rateLimit],
    ["429 with a reason and no JSON", text(429, "slow down", limited), rateLimit],
    ["429 by a lock", refusal(429, { type: "invalid_request_error", code: "lock_timeout" }), lockTimeout],
    ["429 without a reason", refusal(429, { type: "api_error" }), lockTimeout],
    ["409", refusal(409, { type: "idempotency_error" }), { ...lockTimeout, status: 409 }],
    [
      "401",
      refusal(401, { type: "invalid_request_error", message: `Invalid API Key provided: ${KEY}` }),
      { kind: "authentication", outcome: "failure", isRetryable: false, reason: undefined, status: 401 },
    ],
    [
      "401 of an expired key",
      refusal(401, { type: "invalid_request_error", code: "api_key_expired", message: "Expired API Key provided" }),
      { kind: "authentication", outcome: "failure", isRetryable: false, code: "api_key_expired" },
    ],
    [
      "403",
      refusal(403, { type: "invalid_request_error", message: `The provided key '${KEY}' does not have access` }),
      { ...refused, kind: "authorization", status: 403 },
    ],
    [
      "400",
      refusal(400, { type: "invalid_request_error", code: "parameter_unknown" }),
      { ...refused, kind: "validation" },
    ],
    [
      "402",
      refusal(402, { type: "card_error", code: "card_declined" }),
      { ...refused, kind: "validation", status: 402 },
    ],
    [
      "404 of an object",
      refusal(404, { type: "invalid_request_error", code: "resource_missing", message: "No such customer: 'cus_1'" }),
      { ...refused, kind: "validation", reason: "missing" },
    ],
    [
      "404 of an object without a code",
      refusal(404, { type: "invalid_request_error", message: "No such customer: 'cus_1'" }),
      { ...refused, kind: "validation", reason: "missing" },
    ],
    [
      "404 of an unknown URL",
      refusal(404, { type: "invalid_request_error", message: "Unrecognized request URL (GET: /v1/account)." }),
      { ...refused, kind: "validation" },
    ],
    [
      "404 of another mode",
      refusal(404, {
        type: "invalid_request_error",
        code: "resource_missing",
        message: "No such customer: 'cus_1'; a similar object exists in live mode, but a test mode key was used.",
      }),
      { ...refused, kind: "validation" },
    ],
    [
      "400 of a list cursor that no longer exists",
      refusal(400, { type: "invalid_request_error", code: "resource_missing", param: "starting_after" }),
      { ...refused, kind: "validation", reason: "missing" },
    ],
    ["500", refusal(500, { type: "api_error" }), { ...unreachable, status: 500, code: "api_error" }],
    ["503 without an error in it", json(503, { message: "Service Unavailable" }), { ...unreachable, status: 503 }],
    ["502 in HTML", text(502, "<html>Bad Gateway</html>"), { ...unreachable, status: 502, code: "invalid_json" }],
    ["200 in HTML", text(200, "<html>Welcome</html>"), { ...unreachable, code: "invalid_json" }],
    ["401 in HTML", text(401, "<html>Proxy login</html>"), { ...unreachable, code: "invalid_json" }],
    ["200 that is empty", text(200, ""), { ...unreachable, code: "invalid_json" }],
    ["200 that is a number", text(200, "5"), { ...unreachable, code: "invalid_json" }],
    ["200 that is null", text(200, "null"), { ...unreachable, code: "invalid_json" }],
    ["200 that is cut off", cutOff, { ...unreachable, code: "ECONNRESET" }],
    ["200 without end", endless, { ...unreachable, code: "too_large" }],
    [
      "200 with another object",
      json(200, { object: "balance" }),
      { kind: "provider", outcome: "failure", isRetryable: true, code: "unexpected_answer" },
    ],
    [
      "200 with an error in it",
      json(200, { error: { type: "api_error" } }),
      { kind: "provider", outcome: "failure", isRetryable: true },
    ],
    ["302", text(302, "", { location: "https://elsewhere.example/" }), unreachable],
    ["no answer", reset, { ...unreachable, status: undefined, code: "ECONNRESET" }],
  ];

  it.each(rows)("%s", async (_, script, expected) => {
    server.answers(script);
    const error = await errorOf(server.url);
    expect(error).toMatchObject({ name: "ProviderError", ...expected });
    expect(server.arrived).toHaveLength(1);
    // The provider's messages repeat parts of keys; they must not be passed on.
    const whole = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(whole).not.toMatch(/sk_test|secretkey|cus_1/);
  });

  it("a time-out if there is no answer in time, and the request is aborted", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    server.answers((response) => void response.once("close", resolve));
    // Long enough for the request to arrive on a busy machine: only then does the server see its end.
    expect(await errorOf(server.url, 1_000)).toMatchObject({ ...unreachable, code: "timeout" });
    await closed;
    server.answers((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"id":');
    });
    expect(await errorOf(server.url, 100)).toMatchObject({ ...unreachable, code: "timeout" });
    server.answers(silence);
    expect(await errorOf(server.url, 1)).toMatchObject({ ...unreachable, code: "timeout" });
  });

  it("a network error if the host refuses the connection, or does not exist", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const address = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    if (address === null || typeof address === "string") throw new Error("A server has a port.");
    expect(await errorOf(`http://127.0.0.1:${address.port}`)).toMatchObject({ ...unreachable, code: "ECONNREFUSED" });
    // An invalid host name, so that no name server is needed.
    expect(await errorOf("http://no..host")).toMatchObject({ ...unreachable, code: "ENOTFOUND" });
  });

  it("an error without the secret if the secret is no valid header", async () => {
    server.answers(json(200, { id: "acct_1" }));
    const adapter = createStripeAdapter({ url: server.url, clock: Date.now });
    const reading = adapter.at({ secret: "sk\nX", signal: AbortSignal.timeout(1_000) }).readAccount();
    await expect(reading).rejects.toMatchObject({ outcome: "neutral", isRetryable: false, code: "not_sent" });
    expect(server.arrived).toHaveLength(0);
  });
});

describe("the Retry-After of an answer", () => {
  const date = new Date("2026-11-21T10:00:00Z");
  it.each([
    [{ "Retry-After": "7" }, 7_000],
    [{ "Retry-After": "0" }, 0],
    [{ "Retry-After": new Date(date.getTime() + 3_000).toUTCString(), Date: date.toUTCString() }, 3_000],
    [{ "Retry-After": new Date(date.getTime() - 3_000).toUTCString(), Date: date.toUTCString() }, undefined],
    [{ "Retry-After": "soon" }, undefined],
    [{ "Retry-After": "-1" }, undefined],
    [{}, undefined],
  ])("is %j: %j ms", async (headers, retryAfterMs) => {
    for (const script of [refusal(429, {}, { ...limited, ...headers }), text(503, "<html>", headers)]) {
      server.answers(script);
      expect((await errorOf(server.url)).retryAfterMs).toBe(retryAfterMs);
    }
  });
});
