import { afterEach, describe, expect, it, jest } from "@jest/globals";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { createBusHandler } from "../../../shared/runtime/background-handlers.ts";

const written = jest.spyOn(process.stdout, "write");
afterEach(() => void written.mockReset());

const lines = () => written.mock.calls.map(([line]) => JSON.parse(String(line)));
const context = { awsRequestId: "request", getRemainingTimeInMillis: () => 4_321 } as Context;
const event = { id: "event-1", time: "2026-11-21T12:00:00Z", detail: { organizationId: "acme" } };
const Detail = z.object({ organizationId: z.optional(z.string()) });

describe("the handler of a bus event", () => {
  it("calls the work with detail and delivery, and logs the result in one line", async () => {
    written.mockReturnValue(true);
    const handler = createBusHandler("work", Detail, async (detail, { id, timeMs, remainingMs }) => {
      expect(detail).toEqual({ organizationId: "acme" });
      expect([id, timeMs]).toEqual(["event-1", Date.UTC(2026, 10, 21, 12)]);
      return { left: remainingMs() };
    });
    expect(await handler(event, context)).toEqual({ left: 4_321 });
    expect(lines()).toEqual([
      {
        level: "info",
        message: "work",
        requestId: "request",
        organizationId: "acme",
        durationMs: expect.any(Number),
        left: 4_321,
      },
    ]);
  });

  it("accepts a schedule's event, whose detail is empty", async () => {
    written.mockReturnValue(true);
    const handler = createBusHandler("work", Detail, async (detail) => ({ fields: Object.keys(detail).length }));
    expect(await handler({ ...event, detail: {} }, context)).toEqual({ fields: 0 });
  });

  it("throws on an invalid event, and rethrows errors of the work, so that Lambda retries", async () => {
    written.mockReturnValue(true);
    const error = new Error("The store did not answer.");
    const handler = createBusHandler("work", Detail, async () => {
      throw error;
    });
    await expect(handler(event, context)).rejects.toBe(error);
    await expect(handler({ ...event, detail: { organizationId: 7 } }, context)).rejects.toThrow();
    await expect(handler({}, context)).rejects.toThrow();
    expect(lines().map(({ level }) => level)).toEqual(["error", "error", "error"]);
  });
});
