import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { callStore, isItemRefused, isStoreFailure, isTransactionConflict } from "../../../shared/runtime/call-store.ts";
import { withDeadline } from "../../../shared/runtime/deadline.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { withLogIds, writeLog } from "../../../shared/runtime/log.ts";

const sdkError = (name: string): Error => Object.assign(new Error("no"), { name });

/** The error of a call that fails, and the fields of the next log line of the same work. */
const failing = async (cause: unknown) => {
  const lines: string[] = [];
  jest.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  process.env.METRICS_NAMESPACE = "test";
  const error = await withLogIds({}, async () => {
    const failure = await callStore(() => Promise.reject(cause)).catch((thrown: unknown) => thrown);
    writeLog("info", "after", {});
    return failure;
  });
  delete process.env.METRICS_NAMESPACE;
  return { error, line: JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown> };
};

afterEach(() => void jest.restoreAllMocks());

describe("a call of the store", () => {
  it("returns its output", async () => {
    await expect(callStore(async () => "output")).resolves.toBe("output");
  });

  it.each([
    [undefined, 4_000],
    [250, 250],
  ])("with the deadline %p may take %p ms", async (deadline, expected) => {
    const timeout = jest.spyOn(AbortSignal, "timeout");
    await callStore(async ({ abortSignal }) => abortSignal, ...(deadline === undefined ? [] : [deadline]));
    expect(timeout.mock.calls).toEqual([[expected]]);
  });

  it("of a request may take 3500 ms, and ends with the request", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate"] });
    try {
      const timeout = jest.spyOn(AbortSignal, "timeout");
      const signal = await withDeadline(
        async () => {
          const own = await callStore(async ({ abortSignal }) => abortSignal);
          expect(own.aborted).toBe(false);
          await jest.advanceTimersByTimeAsync(60);
          return own;
        },
        { ownMs: 50, sideMs: 90 },
      );
      expect(timeout.mock.calls).toEqual([[3_500]]);
      expect(signal.aborted).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each(["ConditionalCheckFailedException", "TransactionCanceledException"])(
    "passes %s on, and counts no failure",
    async (name) => {
      const cause = sdkError(name);
      const { error, line } = await failing(cause);
      expect(error).toBe(cause);
      expect(line).not.toHaveProperty("StoreFailures");
    },
  );

  it.each([
    ["a denial", sdkError("AccessDeniedException")],
    ["an answer that is not the store's", new SyntaxError("Unexpected token <")],
    ["a time-out", sdkError("TimeoutError")],
    ["a condition by name only", { name: "ConditionalCheckFailedException" }],
  ])("turns %s into store_unavailable with its cause, and counts it", async (_what, cause) => {
    const { error, line } = await failing(cause);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ name: "DomainError", code: "store_unavailable", cause });
    expect(line).toMatchObject({ StoreFailures: 1 });
  });

  it("does not count a conflict with a transaction, which callers repeat", async () => {
    const { error, line } = await failing(sdkError("TransactionConflictException"));
    expect(error).toMatchObject({ code: "store_unavailable" });
    expect(isTransactionConflict(error)).toBe(true);
    expect(line).not.toHaveProperty("StoreFailures");
  });
});

it.each(["ValidationException", "SerializationException"])(
  "an item refused with %s is a failure of the call, but not counted as the store's",
  async (name) => {
    const { error, line } = await failing(sdkError(name));
    expect(error).toMatchObject({ code: "store_unavailable" });
    expect(isItemRefused(error)).toBe(true);
    expect(isTransactionConflict(error)).toBe(false);
    expect(line).not.toHaveProperty("StoreFailures");
  },
);

const domainError = (cause?: unknown) => new DomainError("store_unavailable", "No.", { cause });

it.each([
  ["the store's failure", domainError(), true],
  ["another domain error", new DomainError("internal", "No."), false],
  ["an error with the same code", Object.assign(new Error("no"), { code: "store_unavailable" }), false],
])("%s is a store failure: %s", (_what, error, expected) => {
  expect(isStoreFailure(error)).toBe(expected);
});

it.each([
  ["an error of the SDK by itself", sdkError("TransactionConflictException"), false],
  ["a domain error without a cause", domainError(), false],
  ["a domain error with another cause", domainError(sdkError("ThrottlingException")), false],
  ["a domain error with a cause that is no Error", domainError({ name: "TransactionConflictException" }), false],
  [
    "an Error with the cause",
    Object.assign(new Error("no"), { cause: sdkError("TransactionConflictException") }),
    false,
  ],
  ["a domain error with the cause", domainError(sdkError("TransactionConflictException")), true],
])("%s is a transaction conflict: %s", (_what, error, expected) => {
  expect(isTransactionConflict(error)).toBe(expected);
});

it("a domain error has a cause only if it was given one", () => {
  expect(Object.hasOwn(new DomainError("internal", "No."), "cause")).toBe(false);
  expect(new DomainError("internal", "No.", { cause: 7 })).toMatchObject({ cause: 7 });
});
