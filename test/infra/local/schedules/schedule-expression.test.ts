import { describe, expect, it } from "@jest/globals";
import { parseScheduleExpression } from "../../../../infra/local/schedules/schedule-expression.ts";

const created = Date.parse("2026-11-20T10:07:30.500Z");
const next = (expression: string, after: string) => {
  const occurrences = parseScheduleExpression(expression, created);
  const first = occurrences.nextAfter(Date.parse(after));
  return [first, occurrences.nextAfter(first)].map((at) => new Date(at).toISOString());
};

describe("schedule expressions", () => {
  it.each([
    ["rate(1 hour)", "2026-11-20T10:07:30.500Z", ["2026-11-20T11:07:30.500Z", "2026-11-20T12:07:30.500Z"]],
    ["rate(1 hour)", "2026-11-20T11:07:30.499Z", ["2026-11-20T11:07:30.500Z", "2026-11-20T12:07:30.500Z"]],
    ["rate(5 minutes)", "2026-11-21T00:00:00Z", ["2026-11-21T00:02:30.500Z", "2026-11-21T00:07:30.500Z"]],
    ["rate(2 days)", "2026-11-25T00:00:00Z", ["2026-11-26T10:07:30.500Z", "2026-11-28T10:07:30.500Z"]],
    ["rate(1 day)", "2020-01-01T00:00:00Z", ["2026-11-21T10:07:30.500Z", "2026-11-22T10:07:30.500Z"]],
    ["cron(0 * * * ? *)", "2026-11-20T10:00:00Z", ["2026-11-20T11:00:00.000Z", "2026-11-20T12:00:00.000Z"]],
    ["cron(26 * * * ? *)", "2026-11-20T10:26:00Z", ["2026-11-20T11:26:00.000Z", "2026-11-20T12:26:00.000Z"]],
    ["cron(26 * * * ? *)", "2026-11-20T10:25:59.999Z", ["2026-11-20T10:26:00.000Z", "2026-11-20T11:26:00.000Z"]],
  ])("%s after %s", (expression, after, expected) => {
    expect(next(expression, after)).toEqual(expected);
  });

  it.each([
    "rate(0 hours)",
    "rate(1 hours)",
    "rate(2 hour)",
    "rate(1 week)",
    "rate(1.5 hours)",
    "cron(0 * * * *)",
    "cron(0 * * * * *)",
    "cron(60 * * * ? *)",
    "cron(0/15 * * * ? *)",
    "cron(0 12 ? * MON-FRI *)",
    "cron(0 8 L * ? *)",
    "at(2026-11-20T10:00:00)",
    "0 * * * *",
    "",
  ])("refuses %p with an explanation", (expression) => {
    expect(() => parseScheduleExpression(expression, created)).toThrow(
      `does not support the schedule expression ${expression}`,
    );
  });
});
