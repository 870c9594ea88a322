import { afterEach, describe, expect, it, jest } from "@jest/globals";
import type { Context } from "aws-lambda";
import { createScheduledHandler } from "../../../shared/runtime/background-handlers.ts";

const written = jest.spyOn(process.stdout, "write");
afterEach(() => void written.mockReset());

const lines = () => written.mock.calls.map(([line]) => JSON.parse(String(line)));
const context = { awsRequestId: "request", getRemainingTimeInMillis: () => 4_321 } as Context;

describe("the handler of a schedule", () => {
  it("calls the work with the remaining time, and logs the result in one line", async () => {
    written.mockReturnValue(true);
    const handler = createScheduledHandler("tidy", async ({ remainingMs }) => ({ left: remainingMs(), isDone: true }));
    expect(await handler({}, context)).toEqual({ left: 4_321, isDone: true });
    expect(lines()).toEqual([
      {
        level: "info",
        message: "tidy",
        requestId: "request",
        durationMs: expect.any(Number),
        left: 4_321,
        isDone: true,
      },
    ]);
  });

  it("rethrows errors of the work, and logs them with their causes", async () => {
    written.mockReturnValue(true);
    const error = new Error("2 hours could not be closed.", { cause: new Error("The store did not answer.") });
    const handler = createScheduledHandler("tidy", async () => {
      throw error;
    });
    await expect(handler({}, context)).rejects.toBe(error);
    expect(lines()).toEqual([
      {
        level: "error",
        message: "tidy",
        requestId: "request",
        durationMs: expect.any(Number),
        cause: expect.any(String),
      },
    ]);
    expect(lines()[0].cause).toMatch(/2 hours could not be closed.*caused by Error: The store did not answer/s);
  });
});
