import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import {
  conditionalTransaction,
  conditionalWrite,
  transactWithRetry,
} from "../../../shared/runtime/conditional-write.ts";
import { withScriptedClient } from "../../support/scripted-client.ts";
import { type Attempt, attempts } from "../../support/scripted-store.ts";

// Pauses before retries are random; these are of no length.
let random: jest.SpiedFunction<() => number>;
beforeEach(() => {
  random = jest.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void jest.restoreAllMocks());

describe("a conditional write", () => {
  it.each([
    [{}, false],
    [{ attempts: 1 }, false],
    [{ attempts: 2 }, true],
  ])("after %j was repeated: %s", async ($metadata, isRepeated) => {
    await expect(conditionalWrite(async () => ({ $metadata }))).resolves.toMatchObject({ written: true, isRepeated });
    const failed = new ConditionalCheckFailedException({ message: "", $metadata });
    await expect(conditionalWrite(() => Promise.reject(failed))).resolves.toEqual({
      written: false,
      item: undefined,
      isRepeated,
    });
  });
});

describe("a conditional transaction", () => {
  it("throws store_unavailable if the store does not answer", async () => {
    const failure = conditionalTransaction(() => Promise.reject(new Error("no")));
    await expect(failure).rejects.toMatchObject({ code: "store_unavailable" });
  });

  it("that was cancelled without a reason names no condition", async () => {
    const cause = new TransactionCanceledException({ message: "", $metadata: {} });
    await expect(conditionalTransaction(() => Promise.reject(cause))).resolves.toEqual({
      written: false,
      failedConditions: new Map(),
      cause,
    });
  });
});

describe("a transaction that is repeated", () => {
  const cancelled = (...codes: string[]): Attempt =>
    attempts.refuse("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });
  const conflict = cancelled("None", "TransactionConflict");
  const run = async (script: Attempt[]) => {
    let outcome: unknown;
    const requests = await withScriptedClient(script, async (client) => {
      outcome = await transactWithRetry(client, []).catch((error: unknown) => error);
    });
    return { outcome, tokens: requests.map(({ ClientRequestToken }) => ClientRequestToken) };
  };

  it("is carried out once the other transaction has ended, after a pause each time", async () => {
    const { outcome, tokens } = await run([conflict, conflict, attempts.succeed()]);
    expect(outcome).toEqual(new Map());
    // A repeated token would get the answer of the cancelled transaction.
    expect(new Set(tokens).size).toBe(3);
    expect(random).toHaveBeenCalledTimes(2);
  });

  it("is not repeated after a failed condition", async () => {
    const { outcome, tokens } = await run([cancelled("TransactionConflict", "ConditionalCheckFailed")]);
    expect(outcome).toEqual(new Map([[1, undefined]]));
    expect(tokens).toHaveLength(1);
  });

  it("fails after six attempts", async () => {
    const { outcome, tokens } = await run([conflict]);
    expect(outcome).toMatchObject({
      code: "store_unavailable",
      cause: expect.any(TransactionCanceledException),
    });
    expect(tokens).toHaveLength(6);
    expect(random).toHaveBeenCalledTimes(5);
  });
});
