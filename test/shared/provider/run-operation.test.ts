import { describe, expect, it, jest } from "@jest/globals";
import { CallTimeoutError, CircuitOpenError, type GuardedCall } from "../../../shared/circuit-breaker/guard.ts";
import type { Credentials, OperationContext } from "../../../shared/provider/provider.ts";
import { createRecordOperation } from "../../../shared/provider/record-operation.ts";
import { createRunOperation } from "../../../shared/provider/run-operation.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { type ErrorRow, providerError } from "../../support/provider-errors.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { context, createWorld, failing, organizationId, page, START, type Step } from "./operations.ts";

quietLog();

const done: Step = { value: page };

describe("an operation", () => {
  it.each([
    [[done], [], "returned", ["success"]],
    [[failing("network"), done], [500], "returned", ["failure", "success"]],
    [[failing("network"), failing("timeout"), done], [500, 1_000], "returned", ["failure", "failure", "success"]],
    [
      [failing("network"), failing("network"), failing("rateLimit")],
      [500, 1_000],
      "rate_limit",
      Array(3).fill("failure"),
    ],
    // Retry-After counts if it is longer than our own pause.
    [[failing("rateLimit", { retryAfterMs: 2_000 }), done], [2_000], "returned", ["failure", "success"]],
    [[failing("rateLimit", { retryAfterMs: 100 }), done], [500], "returned", ["failure", "success"]],
    [[failing("rateLimit", { retryAfterMs: 9_490 }), done], [9_490], "returned", ["failure", "success"]],
    [[failing("rateLimit", { retryAfterMs: 9_491 })], [], "rate_limit", ["failure"]],
    [[failing("rateLimit", { retryAfterMs: 60_000 })], [], "rate_limit", ["failure"]],
    // The limit of 10 s.
    [
      [failing("timeout", { tookMs: 5_000 }), failing("timeout", { tookMs: 4_500 })],
      [500],
      "network",
      Array(2).fill("failure"),
    ],
    [[failing("lock"), done], [500], "returned", ["success", "success"]],
    [[failing("forbidden")], [], "authorization", ["success"]],
    [[failing("invalid")], [], "validation", ["success"]],
    [[failing("missing")], [], "validation", ["success"]],
    [[failing("invalidGrant")], [], "authentication", ["success"]],
    [[failing("unauthorized")], [], "authentication", ["failure"]],
  ] as [Step[], number[], string, string[]][])(
    "is retried only if a retry may succeed: case %#",
    async (steps, pauses, end, outcomes) => {
      const world = createWorld(steps);
      const ended = world
        .open()
        .listObjects("invoices", {})
        .then(
          () => "returned",
          ({ kind }) => kind,
        );
      expect(await ended).toBe(end);
      expect(world.left).toEqual([]);
      expect(world.pauses).toEqual(pauses);
      expect(world.guarded.map(({ outcome }) => outcome)).toEqual(outcomes);
      expect(world.events).toHaveLength(1);
      expect(world.events[0]).toMatchObject({
        success: end === "returned",
        metadata: { attempts: steps.length, durationMs: world.time.now - START },
      });
    },
  );

  it.each([
    [
      "of a sync run is not shared for its first request, so a quiet run costs no call",
      { ...context, runId: "run" },
      2,
    ],
    ["is shared for every other request", { organizationId, source: "webhook" }, 3],
  ] as [string, OperationContext, number][])("has a rate that %s", async (_, who, shared) => {
    const world = createWorld([done, failing("network"), done]);
    const provider = world.open(who);
    await provider.listEvents({});
    await provider.listEvents({});
    expect(world.shared).toEqual(Array(shared).fill(organizationId));
  });

  it("pauses with full jitter", async () => {
    const world = createWorld([failing("network"), failing("network"), done], { random: 0.1 });
    await world.open().listEvents({});
    expect(world.pauses).toEqual([50, 100]);
  });

  it("gives each attempt the rest of 10 s, and each request at most 5 s", async () => {
    const timeout = jest.spyOn(AbortSignal, "timeout");
    const world = createWorld([failing("timeout", { tookMs: 5_000 }), done]);
    await world.open().readAccount();
    expect(world.guarded.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 4_500]);
    expect(timeout.mock.calls).toEqual([[5_000], [4_500]]);
    timeout.mockRestore();
  });

  it("waits for the rate limiter before each attempt, and records how long", async () => {
    const quick: Step = { value: page, tookMs: 0 };
    const world = createWorld([quick, quick, quick, quick, failing("network", { tookMs: 0 }), quick], { random: 0 });
    const provider = world.open();
    for (let i = 0; i < 5; i++) await provider.listEvents({});
    // The sixth request waits, although it is a retry; the pause before it was 0 ms.
    expect(world.pauses).toEqual([0, 63]);
    expect(world.events.map(({ metadata }) => metadata)).toEqual([
      ...Array(4).fill({ durationMs: 0, attempts: 1, batchSize: 3, runId: "run_1" }),
      { durationMs: 0, attempts: 2, pacedMs: 63, batchSize: 3, runId: "run_1" },
    ]);
  });

  it("sends no request if refreshing credentials used the time up", async () => {
    const refused = async () => {
      world.time.now += 9_500;
      return "sk_2";
    };
    const world = createWorld([failing("unauthorized", { tookMs: 1 })], { credentials: { refused } });
    await expect(world.open().readAccount()).rejects.toMatchObject({ kind: "network", code: "timeout" });
    expect(world.guarded.map(({ outcome }) => outcome)).toEqual(["neutral"]);
    expect(world.events).toMatchObject([{ errorCode: "timeout", metadata: { attempts: 1 } }]);
  });

  it.each([
    [8_990, 2],
    [8_991, 1],
  ])("bounds the requests if the rate limiter takes %i ms before the second attempt", async (waitMs, requests) => {
    const time = { now: START };
    const waits = [0, waitMs];
    let isUnderWay = 0;
    let sent = 0;
    const pass = <Value>(_: string, call: GuardedCall<Value>) => call(new AbortController().signal);
    const runOperation = createRunOperation({
      guard: Object.assign(pass, { isHalfOpen: () => false, flush: async () => undefined }),
      rateLimiter: {
        acquire: async () => {
          const waitedMs = waits.shift() ?? 0;
          time.now += waitedMs;
          isUnderWay++;
          return { waitedMs, release: () => void isUnderWay-- };
        },
      },
      recordOperation: createRecordOperation({ recorder: { record: async () => undefined }, clock: () => time.now }),
      reads: { count: () => undefined },
      clock: () => time.now,
      sleep: async (ms) => {
        time.now += ms;
      },
      random: () => 1,
    });
    const send = async () => {
      sent++;
      time.now += 10;
      throw providerError(sent === 1 ? "rateLimit" : "forbidden");
    };
    const credentials = { current: async () => "sk_1", refused: async () => undefined };
    const ended = runOperation({ action: "read_account", send }, { context, credentials, hasStarted: false });
    await expect(ended).rejects.toMatchObject({ kind: requests === 1 ? "rate_limit" : "authorization" });
    expect(sent).toBe(requests);
    expect(isUnderWay).toBe(0);
  });

  it("ends if the clock is set back", async () => {
    const world = createWorld([failing("network", { tookMs: -3_600_000 }), done]);
    await world.open().listEvents({});
    expect(world.guarded.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 10_000]);
  });

  it("reads the circuit from the store once, at the start of a session", async () => {
    const world = createWorld([failing("network"), done, done, done]);
    const provider = world.open();
    await provider.listEvents({});
    await provider.listEvents({});
    await world.open().listEvents({});
    expect(world.guarded.map(({ isStart }) => isStart)).toEqual([true, false, false, true]);
    expect(new Set(world.guarded.map((call) => call.organizationId))).toEqual(new Set([organizationId]));
  });

  it("reports the guard's time-out as the provider's", async () => {
    const late = new CallTimeoutError("The call took longer than 10000 ms.");
    const world = createWorld([{ error: late, tookMs: 10_000 }]);
    await expect(world.open().readAccount()).rejects.toMatchObject({ kind: "network", code: "timeout" });
    expect(world.events).toMatchObject([{ errorKind: "network", errorCode: "timeout" }]);
  });

  it("throws our own errors unchanged, neutral to the circuit", async () => {
    const fault = new TypeError("Cannot read properties of undefined");
    const world = createWorld([{ error: fault }]);
    await expect(world.open().readAccount()).rejects.toBe(fault);
    expect(world.guarded).toMatchObject([{ outcome: "neutral" }]);
    expect(world.events).toMatchObject([{ success: false, riskLevel: "MEDIUM", errorCode: "system" }]);
    expect(JSON.stringify(world.events)).not.toContain("properties");
  });

  it("does not start without credentials", async () => {
    const away = new DomainError("store_unavailable", "The store did not answer. Try again.");
    const world = createWorld([], { credentials: { current: () => Promise.reject(away) } });
    await expect(world.open().readAccount()).rejects.toBe(away);
    expect(world.events).toEqual([]);
    expect(world.added).toEqual([]);
  });
});

describe("an open circuit", () => {
  const open = new CircuitOpenError(START + 30_000, START);

  it("fails an operation at once", async () => {
    const world = createWorld([], { guardErrors: [open] });
    await expect(world.open().listEvents({})).rejects.toBe(open);
    expect(world.pauses).toEqual([]);
    expect(world.events).toMatchObject([
      {
        eventType: "PROVIDER_REQUEST",
        success: false,
        riskLevel: "LOW",
        errorCode: "circuit_open",
        metadata: { attempts: 0 },
      },
    ]);
    await world.access.flush();
    expect(world.added).toEqual([]);
  });

  it("that opened during an operation is recorded as the error that opened it", async () => {
    const world = createWorld([failing("rateLimit")], { guardErrors: [undefined, open] });
    await expect(world.open().listEvents({})).rejects.toBe(open);
    expect(world.events).toMatchObject([
      { eventType: "RATE_LIMIT_EXCEEDED", errorKind: "rate_limit", metadata: { attempts: 1, rateLimited: 1 } },
    ]);
  });
});

describe("rejected credentials", () => {
  /** Returns these in turn, and collects the rejected secrets. */
  const replacing = (...others: (string | undefined | Error)[]) => {
    const rejected: string[] = [];
    const refused = async (secret: string) => {
      rejected.push(secret);
      const other = others.shift();
      if (other instanceof Error) throw other;
      return other;
    };
    return { rejected, credentials: { refused } };
  };

  it("are replaced once, neutral to the circuit and without an event", async () => {
    const { rejected, credentials } = replacing("sk_2");
    const world = createWorld([failing("unauthorized"), done], { credentials });
    await expect(world.open().listEvents({})).resolves.toBe(page);
    expect([rejected, world.secrets]).toEqual([["sk_1"], ["sk_1", "sk_2"]]);
    expect(world.guarded.map(({ outcome }) => outcome)).toEqual(["neutral", "success"]);
    expect(world.pauses).toEqual([]);
    expect(world.events).toMatchObject([
      { eventType: "PROVIDER_REQUEST", success: true, riskLevel: "LOW", metadata: { attempts: 2 } },
    ]);
  });

  it("stay replaced in later attempts", async () => {
    const { credentials } = replacing("sk_2");
    const world = createWorld([failing("network"), failing("unauthorized"), failing("network"), done], { credentials });
    await world.open().listEvents({});
    expect(world.secrets).toEqual(["sk_1", "sk_1", "sk_2", "sk_2"]);
    expect(world.guarded.map(({ outcome }) => outcome)).toEqual(["failure", "neutral", "failure", "success"]);
  });

  it("fail the operation if the new ones are rejected too, and report them as rejected", async () => {
    for (const second of [undefined, "sk_3", new Error("away")]) {
      const { rejected, credentials } = replacing("sk_2", second);
      const world = createWorld([failing("unauthorized"), failing("unauthorized")], { credentials });
      await expect(world.open().listEvents({})).rejects.toMatchObject({ status: 401 });
      expect(rejected).toEqual(["sk_1", "sk_2"]);
      expect(world.guarded.map(({ outcome }) => outcome)).toEqual(["neutral", "failure"]);
      expect(world.events).toMatchObject([
        {
          eventType: "AUTHENTICATION_FAILURE",
          category: "authentication",
          errorKind: "authentication",
          success: false,
        },
      ]);
    }
  });

  it("fail the operation if there are no credentials to try", async () => {
    const { credentials } = replacing(undefined);
    const world = createWorld([failing("unauthorized")], { credentials });
    await expect(world.open().listEvents({})).rejects.toMatchObject({ status: 401 });
    expect(world.guarded).toMatchObject([{ outcome: "failure" }]);
  });

  it("that turn out to be valid are tried once more, neutral to the circuit and without an event", async () => {
    const { rejected, credentials } = replacing("sk_1", "sk_1");
    const world = createWorld([failing("unauthorized"), done, failing("unauthorized"), failing("unauthorized")], {
      credentials,
    });
    await expect(world.open().listEvents({})).resolves.toBe(page);
    expect(world.guarded.map(({ outcome }) => outcome)).toEqual(["neutral", "success"]);
    expect(world.events).toMatchObject([{ eventType: "PROVIDER_REQUEST", success: true, metadata: { attempts: 2 } }]);
    await expect(world.open().listEvents({})).rejects.toMatchObject({ status: 401 });
    expect(rejected).toEqual(["sk_1", "sk_1", "sk_1"]);
    expect(world.guarded.map(({ outcome }) => outcome).slice(2)).toEqual(["neutral", "failure"]);
  });

  it.each([[0], [1]])(
    "of a connection that has ended fail the circuit, and leave its event alone: after %i replacements",
    async (replacements) => {
      const ended = providerError("unauthorized", { reason: "connection_ended" });
      const { credentials } = replacing(...Array(replacements).fill("sk_2"), ended);
      const world = createWorld(Array(replacements + 1).fill(failing("unauthorized")), { credentials });
      await expect(world.open().listEvents({})).rejects.toBe(ended);
      expect(world.guarded.at(-1)).toMatchObject({ outcome: "failure" });
      expect(world.events).toMatchObject([
        { eventType: "PROVIDER_REQUEST", riskLevel: "LOW", success: false, errorCode: "connection_ended" },
      ]);
    },
  );

  it.each([
    ["accepts it", done, true, "success"],
    ["rejects it again", failing("unauthorized"), false, "failure"],
  ] as const)("are confirmed by one read of the account without an event: the provider %s", async (...row) => {
    const [, step, accepts, outcome] = row;
    const world = createWorld([step]);
    await expect(world.access.acceptsSecret("sk_1", context)).resolves.toBe(accepts);
    expect([world.secrets, world.events]).toEqual([["sk_1"], []]);
    expect(world.guarded).toMatchObject([{ organizationId, outcome }]);
    await world.access.flush();
    expect(world.added).toMatchObject([[organizationId, "2026-11", 1]]);
  });

  it.each(["network", "forbidden"] as const)("are not judged by another failure of that read: %s", async (row) => {
    const world = createWorld([failing(row)]);
    await expect(world.access.acceptsSecret("sk_1", context)).rejects.toThrow(row);
  });

  it.each([
    [providerError("network")],
    [new CircuitOpenError(undefined, START)],
    [new DomainError("store_unavailable", "away")],
  ])("that cannot be replaced now are neutral, and not retried: case %#", async (error) => {
    const { credentials } = replacing(error);
    const world = createWorld([failing("unauthorized")], { credentials });
    await expect(world.open().listEvents({})).rejects.toBe(error);
    expect(world.guarded).toMatchObject([{ outcome: "neutral" }]);
    expect(world.events).toHaveLength(1);
    expect(world.events[0]).toMatchObject({ eventType: "PROVIDER_REQUEST", success: false });
  });

  it("while connecting are neutral, and record no authentication failure", async () => {
    const world = createWorld([failing("unauthorized")]);
    const connecting: OperationContext = { organizationId, source: "user", userId: "ada", isConnecting: true };
    await expect(world.open(connecting).readAccount()).rejects.toMatchObject({ status: 401 });
    expect(world.guarded).toMatchObject([{ outcome: "neutral" }]);
    expect(world.events).toMatchObject([
      { eventType: "PROVIDER_REQUEST", errorKind: "authentication", success: false },
    ]);
  });

  it("while connecting with too few permissions record no PERMISSION_DENIED", async () => {
    const world = createWorld([failing("forbidden")]);
    const connecting: OperationContext = { organizationId, source: "user", userId: "ada", isConnecting: true };
    await expect(world.open(connecting).readAccount()).rejects.toMatchObject({ status: 403 });
    expect(world.events).toMatchObject([
      { eventType: "PROVIDER_REQUEST", category: "integration", errorKind: "authorization", success: false },
    ]);
  });
});

describe("the event of an operation", () => {
  it("has requester, action, duration and result", async () => {
    const world = createWorld([
      failing("rateLimit", { retryAfterMs: 700 }),
      failing("rateLimit"),
      { value: page, tookMs: 30 },
    ]);
    await world.open().listObjects("invoices", {});
    expect(world.events).toEqual([
      {
        organizationId,
        source: "system",
        eventType: "PROVIDER_REQUEST",
        category: "integration",
        riskLevel: "LOW",
        resource: "acct_1",
        resourceType: "provider_account",
        action: "list_invoices",
        success: true,
        metadata: {
          durationMs: 10 + 700 + 10 + 1_000 + 30,
          attempts: 3,
          retryAfterMs: 700,
          rateLimited: 2,
          type: "invoices",
          batchSize: 3,
          runId: "run_1",
        },
      },
    ]);
  });

  it.each([
    ["rateLimit", "RATE_LIMIT_EXCEEDED", "integration", "rate_limit", "rate_limit"],
    ["unauthorized", "AUTHENTICATION_FAILURE", "authentication", "authentication", "http_401"],
    ["forbidden", "PERMISSION_DENIED", "authorization", "authorization", "http_403"],
    ["network", "PROVIDER_REQUEST", "integration", "network", "http_503"],
    ["timeout", "PROVIDER_REQUEST", "integration", "network", "timeout"],
    ["invalid", "PROVIDER_REQUEST", "integration", "validation", "parameter_unknown"],
  ] as const)("has the type of its failure: %s", async (row, eventType, category, errorKind, errorCode) => {
    const world = createWorld([failing(row), failing(row), failing(row)]);
    await expect(world.open().listEvents({})).rejects.toThrow(`The provider answered: ${row}.`);
    expect(world.events).toMatchObject([
      { eventType, category, errorKind, errorCode, success: false, errorMessage: `The provider answered: ${row}.` },
    ]);
  });

  it("names the user, and the account that connecting found", async () => {
    const world = createWorld([{ value: { accountId: "acct_9" } }]);
    const who = { sessionId: "s1", ipAddress: "192.0.2.1", userAgent: "curl" };
    await world.open({ organizationId, source: "user", userId: "ada", ...who }).readAccount();
    expect(world.events).toMatchObject([
      { source: "user", userId: "ada", ...who, resource: "acct_9", action: "read_account" },
    ]);
    expect(world.events[0]?.metadata).toEqual({ durationMs: 10, attempts: 1 });
  });

  it.each([
    ["listObjects", "forbidden", "PROVIDER_REQUEST", { riskLevel: "LOW" }],
    ["readObject", "forbidden", "PROVIDER_REQUEST", { riskLevel: "LOW" }],
    ["listObjects", "unauthorized", "AUTHENTICATION_FAILURE", { errorKind: "authentication" }],
  ] as const)(
    "of %s counts a lacking permission for an optional type as LOW: %s",
    async (method, row, eventType, risk) => {
      const world = createWorld([failing(row), failing(row)]);
      const provider = world.open();
      const call =
        method === "listObjects" ? provider.listObjects("refunds", {}) : provider.readObject("refunds", "re_1");
      await expect(call).rejects.toMatchObject({ name: "ProviderError" });
      expect(world.events[0]).toMatchObject({ eventType, success: false, ...risk });
    },
  );

  it("names the operation in its action", async () => {
    const world = createWorld([...Array(8).fill(done), { value: undefined }]);
    const provider = world.open();
    await provider.listObjects("customers", {});
    for (const type of ["customers", "subscriptions", "invoices", "payments"] as const)
      await provider.readObject(type, "x");
    await provider.listPaymentLinks({});
    await provider.listEvents({});
    await provider.readAccount();
    await expect(provider.listPaymentLinks({})).resolves.toBeUndefined();
    expect(world.events.map(({ action }) => action)).toEqual([
      "list_customers",
      "read_customer",
      "read_subscription",
      "read_invoice",
      "read_payment",
      "list_payment_links",
      "list_events",
      "read_account",
      "list_payment_links",
    ]);
  });
});

describe("reads", () => {
  it("count each request, per organization and month", async () => {
    const slow = failing("network", { tookMs: 1_000 });
    // From 23:59:58 on: the first pause ends 1.5 s later, the second after midnight.
    const world = createWorld([slow, slow, done, done, done]);
    await world.open().listEvents({});
    await world.open().listEvents({});
    await world.open({ organizationId: "other", source: "webhook" }).readObject("invoices", "in_1");
    await world.access.flush();
    expect(world.added).toEqual([
      [organizationId, "2026-11", 2],
      [organizationId, "2026-12", 2],
      ["other", "2026-12", 1],
    ]);
    expect(world.flushed).toEqual(["guard"]);
    await world.access.flush();
    expect(world.added).toHaveLength(3);
  });
});

describe("OAuth", () => {
  const tokens = { accessToken: "at", refreshToken: "rt", accountId: "acct_2" };
  const connecting: OperationContext = { organizationId, source: "user", userId: "ada", isConnecting: true };

  it("exchanges a code once, and records it", async () => {
    const world = createWorld([{ value: tokens }]);
    await expect(world.access.exchangeCode("ac_1", connecting)).resolves.toBe(tokens);
    expect(world.grants).toEqual([{ code: "ac_1" }]);
    expect(world.guarded).toEqual([{ organizationId, isStart: true, timeoutMs: 10_000, outcome: "success" }]);
    expect(world.events).toMatchObject([
      { action: "exchange_code", success: true, userId: "ada", resource: "acct_2", metadata: { attempts: 1 } },
    ]);
  });

  it("records no account if the exchange returned none", async () => {
    const { accountId: _, ...unnamed } = tokens;
    const world = createWorld([{ value: unnamed }]);
    await world.access.exchangeCode("ac_1", connecting);
    expect(world.events).toMatchObject([{ action: "exchange_code", success: true }]);
    expect(world.events[0]).not.toHaveProperty("resource");
  });

  it.each([
    ["network", "failure"],
    ["timeout", "failure"],
    ["rateLimit", "failure"],
    ["invalidGrant", "neutral"],
    ["unauthorized", "neutral"],
    ["invalid", "success"],
  ] as [ErrorRow, string][])("does not retry a code's exchange: %s", async (row, outcome) => {
    const world = createWorld([failing(row)]);
    await expect(world.access.exchangeCode("ac_1", connecting)).rejects.toThrow(row);
    expect(world.guarded).toMatchObject([{ outcome }]);
    expect(world.events).toMatchObject([
      { action: "exchange_code", success: false, errorKind: providerError(row).kind },
    ]);
    expect(JSON.stringify(world.events)).not.toContain("ac_1");
  });

  it.each([
    ["network", "failure"],
    ["unauthorized", "failure"],
    ["invalidGrant", "success"],
  ] as [ErrorRow, string][])("does not retry or record a refresh: %s", async (row, outcome) => {
    const world = createWorld([failing(row)]);
    await expect(world.access.refreshTokens("rt_1", context)).rejects.toThrow(row);
    expect(world.grants).toEqual([{ refreshToken: "rt_1" }]);
    expect(world.guarded).toMatchObject([{ outcome, isStart: false }]);
    expect(world.events).toEqual([]);
    await world.access.flush();
    expect(world.added).toEqual([]);
  });

  it("repeats an exchange with the platform's new secret if the provider rejects the old one", async () => {
    const platform = { refused: async (secret: string) => `${secret}_rotated` };
    const world = createWorld([failing("unauthorized"), { value: tokens }], { platform });
    await expect(world.access.refreshTokens("rt_1", context)).resolves.toBe(tokens);
    expect(world.secrets).toEqual(["sk_platform", "sk_platform_rotated"]);
    expect(world.grants).toEqual([{ refreshToken: "rt_1" }, { refreshToken: "rt_1" }]);
    expect(world.guarded).toMatchObject([{ outcome: "neutral" }, { outcome: "success" }]);
  });

  it("tries two secrets of the platform at most", async () => {
    const platform = { refused: async (secret: string) => `${secret}_rotated` };
    const world = createWorld([failing("unauthorized"), failing("unauthorized")], { platform });
    await expect(world.access.refreshTokens("rt_1", context)).rejects.toThrow("unauthorized");
    expect(world.guarded).toMatchObject([{ outcome: "neutral" }, { outcome: "failure" }]);
  });

  it("calls the operators if the provider rejects the platform's secret and there is no newer one", async () => {
    const world = createWorld([failing("unauthorized")]);
    await expect(world.access.refreshTokens("rt_1", context)).rejects.toThrow("unauthorized");
    const lines = jest.mocked(process.stdout.write).mock.calls.join("");
    expect(lines).toContain('"alarm":"platform_secret"');
    expect(lines).not.toContain("sk_platform");
  });

  it("does not read the platform's secret again if the provider rejects the grant", async () => {
    const refused = jest.fn<Credentials["refused"]>();
    const world = createWorld([failing("invalidGrant")], { platform: { refused } });
    await expect(world.access.refreshTokens("rt_1", context)).rejects.toThrow("invalidGrant");
    expect(refused).not.toHaveBeenCalled();
  });

  it("sends nothing if the platform's secret cannot be read", async () => {
    const unavailable = new DomainError("store_unavailable", "The store did not answer. Try again.");
    const current = () => Promise.reject(unavailable);
    const world = createWorld([], { platform: { current } });
    await expect(world.access.exchangeCode("ac_1", connecting)).rejects.toBe(unavailable);
    expect(world.guarded).toEqual([]);
  });

  it("throws oauth_not_configured without credentials of the platform", async () => {
    const world = createWorld([], { hasOAuth: false });
    const refusal = { code: "oauth_not_configured" };
    await expect(world.access.exchangeCode("ac_1", connecting)).rejects.toMatchObject(refusal);
    await expect(world.access.refreshTokens("rt_1", context)).rejects.toMatchObject(refusal);
    expect(world.events).toEqual([]);
  });

  it("reports the guard's time-out of an exchange as the provider's", async () => {
    const world = createWorld([{ error: new CallTimeoutError("late") }]);
    await expect(world.access.refreshTokens("rt_1", context)).rejects.toMatchObject({
      kind: "network",
      code: "timeout",
    });
  });
});
