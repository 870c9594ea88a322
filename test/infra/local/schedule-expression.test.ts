import { describe, expect, it } from "@jest/globals";
import { parseScheduleExpression } from "../../../infra/local/schedule-expression.ts";

const created = Date.parse("2026-11-20T10:07:30.500Z");
const next = (expression: string, after: string, count = 2) => {
  const occurrences = parseScheduleExpression(expression, created);
  const times: string[] = [];
  for (let from = Date.parse(after), n = 0; n < count; n++) {
    const at = occurrences.nextAfter(from);
    if (at === undefined) break;
    times.push(new Date(at).toISOString());
    from = at;
  }
  return times;
};

describe("schedule expressions", () => {
  it.each([
    ["rate(1 hour)", "2026-11-20T10:07:30.500Z", ["2026-11-20T11:07:30.500Z", "2026-11-20T12:07:30.500Z"]],
    ["rate(1 hour)", "2026-11-20T11:07:30.499Z", ["2026-11-20T11:07:30.500Z", "2026-11-20T12:07:30.500Z"]],
    ["rate(5 minutes)", "2026-11-21T00:00:00Z", ["2026-11-21T00:02:30.500Z", "2026-11-21T00:07:30.500Z"]],
    ["rate(2 days)", "2026-11-25T00:00:00Z", ["2026-11-26T10:07:30.500Z", "2026-11-28T10:07:30.500Z"]],
    ["rate(1 day)", "2020-01-01T00:00:00Z", ["2026-11-21T10:07:30.500Z", "2026-11-22T10:07:30.500Z"]],
    ["cron(0 * * * ? *)", "2026-11-20T10:00:00Z", ["2026-11-20T11:00:00.000Z", "2026-11-20T12:00:00.000Z"]],
    ["cron(0 */4 * * ? *)", "2026-11-20T10:00:00.001Z", ["2026-11-20T12:00:00.000Z", "2026-11-20T16:00:00.000Z"]],
    ["cron(0/15 * * * ? *)", "2026-11-20T10:59:59.999Z", ["2026-11-20T11:00:00.000Z", "2026-11-20T11:15:00.000Z"]],
    ["cron(5/35 14 * * ? *)", "2026-11-20T00:00:00Z", ["2026-11-20T14:05:00.000Z", "2026-11-20T14:40:00.000Z"]],
    ["cron(0 12 ? * MON-FRI *)", "2026-11-20T12:00:00Z", ["2026-11-23T12:00:00.000Z", "2026-11-24T12:00:00.000Z"]],
    ["cron(0 8 ? * 1 *)", "2026-11-20T00:00:00Z", ["2026-11-22T08:00:00.000Z", "2026-11-29T08:00:00.000Z"]],
    ["cron(0 8 ? * 2#1 *)", "2026-11-20T00:00:00Z", ["2026-12-07T08:00:00.000Z", "2027-01-04T08:00:00.000Z"]],
    ["cron(0 8 ? * 6L *)", "2026-11-20T00:00:00Z", ["2026-11-27T08:00:00.000Z", "2026-12-25T08:00:00.000Z"]],
    ["cron(0 8 ? * L *)", "2026-11-20T00:00:00Z", ["2026-11-21T08:00:00.000Z", "2026-11-28T08:00:00.000Z"]],
    ["cron(0 8 L * ? *)", "2026-11-20T00:00:00Z", ["2026-11-30T08:00:00.000Z", "2026-12-31T08:00:00.000Z"]],
    ["cron(0 8 3W * ? *)", "2026-12-10T00:00:00Z", ["2027-01-04T08:00:00.000Z", "2027-02-03T08:00:00.000Z"]],
    ["cron(0 0 29 2 ? *)", "2026-12-10T00:00:00Z", ["2028-02-29T00:00:00.000Z", "2032-02-29T00:00:00.000Z"]],
    ["cron(0 0 1 1 ? 2028)", "2026-12-10T00:00:00Z", ["2028-01-01T00:00:00.000Z"]],
    ["cron(0 0 1 1 ? 2020)", "2026-12-10T00:00:00Z", []],
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
    "cron(0 * 1 * MON *)",
    "cron(61 * * * ? *)",
    "at(2026-11-20T10:00:00)",
    "0 * * * *",
    "",
  ])("refuses %p as EventBridge does", (expression) => {
    expect(() => parseScheduleExpression(expression, created)).toThrow(expression);
  });
});
