import { describe, expect, it } from "@jest/globals";
import { DRILL_LIMIT_MS, type DrillDelivery, dueOccurrence } from "../../../shared/drills/drill.ts";
import { endOf } from "../../../shared/drills/read-drill.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("a monthly drill is due", () => {
  const monday = Date.UTC(2026, 11, 7, 10);
  it.each<[string, number, number | undefined]>([
    ["not before 10:00 UTC", monday - 1, undefined],
    ["at 10:00 UTC", monday, monday],
    ["until the day is over", Date.UTC(2026, 11, 7, 23, 59), monday],
    ["not on the next day", Date.UTC(2026, 11, 8), undefined],
    ["not on the second Monday", Date.UTC(2026, 11, 14, 10), undefined],
    ["on the first of a month that begins with a Monday", Date.UTC(2027, 1, 1, 12), Date.UTC(2027, 1, 1, 10)],
    ["not on the 8th of that month", Date.UTC(2027, 1, 8, 12), undefined],
    ["on the 7th of a month that begins with a Tuesday", Date.UTC(2026, 8, 7, 10), Date.UTC(2026, 8, 7, 10)],
  ])("%s", (_, now, expected) => {
    expect(dueOccurrence(now)).toBe(expected);
  });
});

describe("a drill", () => {
  const startedAt = Date.UTC(2026, 10, 21, 12);
  const limit = startedAt + DRILL_LIMIT_MS;
  const alertedAt = startedAt + 2;
  const accepted = (acceptedAt: number): DrillDelivery => ({ destinationId: "a", acceptedAt });
  const failed = (failedAt: number): DrillDelivery => ({ destinationId: "b", failedAt });
  const waiting: DrillDelivery = { destinationId: "c" };
  const ended = (status: string, endedAt: number, ...deliveries: DrillDelivery[]) => ({ status, endedAt, deliveries });

  it.each<[string, { alertedAt?: number; deliveries: DrillDelivery[]; now: number; expected: object | undefined }]>([
    [
      "succeeds with its alert if there are no destinations",
      { alertedAt, deliveries: [], now: alertedAt, expected: ended("succeeded", alertedAt) },
    ],
    [
      "succeeds with the last acceptance, even if it is read an hour later",
      {
        alertedAt,
        deliveries: [accepted(limit), accepted(limit - 1)],
        now: limit + HOUR,
        expected: ended("succeeded", limit, accepted(limit), accepted(limit - 1)),
      },
    ],
    [
      "goes on while a delivery waits",
      { alertedAt, deliveries: [failed(limit - 9), waiting], now: limit - 1, expected: undefined },
    ],
    ["goes on before its alert", { deliveries: [], now: limit - 1, expected: undefined }],
    [
      "fails as soon as all deliveries have ended and one has failed",
      {
        alertedAt,
        deliveries: [failed(alertedAt + 5), accepted(alertedAt + 3)],
        now: alertedAt + 6,
        expected: ended("failed", alertedAt + 5, failed(alertedAt + 5), accepted(alertedAt + 3)),
      },
    ],
    [
      "fails at its limit, and what has not arrived by then has failed then",
      {
        alertedAt,
        deliveries: [waiting, accepted(limit + 1), accepted(limit - 1)],
        now: limit + 2,
        expected: ended(
          "failed",
          limit,
          { destinationId: "c", failedAt: limit },
          { destinationId: "a", failedAt: limit },
          accepted(limit - 1),
        ),
      },
    ],
    ["fails at its limit without an alert", { deliveries: [], now: limit, expected: ended("failed", limit) }],
    [
      "fails with an alert that came too late",
      { alertedAt: limit + 1, deliveries: [], now: limit + 1, expected: ended("failed", limit) },
    ],
  ])("%s", (_, { deliveries, now, expected, ...steps }) => {
    expect(endOf({ startedAt, ...steps }, deliveries, now)).toEqual(expected);
  });
});
