import { afterEach, describe, expect, it, jest } from "@jest/globals";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { createBusHandler } from "../../../shared/runtime/background-handlers.ts";

const written = jest.spyOn(process.stdout, "write");
afterEach(() => void written.mockReset());

const lines = () => written.mock.calls.map(([line]) => JSON.parse(String(line)));
const context = { awsRequestId: "request", getRemainingTimeInMillis: () => 4_321 } as Context;
process.env.CONSUMED_EVENTS = "aws.events/Scheduled Event,shop/WorkDue";
const origin = { source: "shop", "detail-type": "WorkDue" };
const event = { ...origin, id: "event-1", time: "2026-11-21T12:00:00Z", detail: { organizationId: "acme" } };
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
    const scheduled = { ...event, source: "aws.events", "detail-type": "Scheduled Event", detail: {} };
    expect(await handler(scheduled, context)).toEqual({ fields: 0 });
  });

  it("throws on an invalid event, and rethrows errors of the work, so that Lambda retries", async () => {
    written.mockReturnValue(true);
    const error = new Error("The store did not answer.");
    const handler = createBusHandler("work", Detail, async () => {
      throw error;
    });
    await expect(handler(event, context)).rejects.toBe(error);
    await expect(handler({ ...event, detail: { organizationId: 7 } }, context)).rejects.toThrow();
    await expect(handler(origin, context)).rejects.toThrow();
    expect(lines().map(({ level }) => level)).toEqual(["error", "error", "error"]);
  });

  it.each([
    ["of another source", { ...event, source: "attacker" }],
    ["of another type", { ...event, "detail-type": "WorkDone" }],
    ["of a schedule's source with another type", { ...event, source: "aws.events" }],
    ["without source and type", { id: event.id, time: event.time, detail: event.detail }],
    ["that is nothing", null],
  ])("refuses an event %s with an alarm, and does not throw, so that Lambda does not retry", async (_, forged) => {
    written.mockReturnValue(true);
    const handler = createBusHandler("work", Detail, async () => ({ isDone: true }));
    expect(await handler(forged, context)).toEqual({ isRefused: true });
    expect(lines()).toMatchObject([
      { level: "error", alarm: "event_refused" },
      { level: "info", message: "work", isRefused: true },
    ]);
  });
});
