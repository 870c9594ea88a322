import { describe, expect, it } from "@jest/globals";
import { addressOf } from "../../../functions/console/app/words/address.ts";

// The module reads the user's language when it is loaded.
Object.defineProperty(navigator, "languages", { value: ["en-US"] });
const { everyHours, formatAge, formatAmount, formatDuration, formatRelative, formatUtc } = await import(
  "../../../functions/console/app/words/format.ts"
);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

it("a time in UTC has whole seconds", () => {
  expect(formatUtc(Date.UTC(2026, 10, 22, 8, 5, 9, 999))).toBe("2026-11-22 08:05:09 UTC");
});

describe("a duration names its two largest units", () => {
  it.each([
    [340, /^340\s?ms$/],
    [12_340, /^12\.3\s?sec/],
    [4 * MINUTE, /^4\s?min$/],
    [4 * MINUTE + 10_999, /^4\s?min 10\s?sec/],
    [DAY - 1, /^23\s?hrs? 59\s?min$/],
    [2 * DAY + 61 * MINUTE, /^2\s?days? 1\s?hr$/],
  ])("%d ms", (ms, expected) => {
    expect(formatDuration(ms)).toMatch(expected);
  });
});

it.each([
  [-5 * MINUTE, "5 minutes ago"],
  [2 * 60 * MINUTE, "in 2 hours"],
  [-DAY, "yesterday"],
  [0, "now"],
])("a time %d ms away reads as %j", (difference, expected) => {
  expect(formatRelative(DAY + difference, DAY)).toBe(expected);
});

it.each([
  [-MINUTE + 400, "1 minute ago"],
  [-60 * MINUTE + 20_000, "1 hour ago"],
  [-DAY + 20 * MINUTE, "yesterday"],
])("a time %d ms away is not counted in the smaller unit: %j", (difference, expected) => {
  expect(formatRelative(DAY + difference, DAY)).toBe(expected);
});

it("what has happened is not ahead, if the browser's clock is behind", () => {
  expect([900, 1_100, -1_100].map((ahead) => formatAge(DAY + ahead, DAY))).toEqual(["now", "now", "1 second ago"]);
});

it("an interval of one hour has no number", () => {
  expect([1, 4].map(everyHours)).toEqual(["every hour", "every 4 hours"]);
});

describe("an amount is in the smallest unit of its currency", () => {
  it.each([
    [1_999, "eur", "€19.99"],
    [1_999, "jpy", "¥1,999"],
    [1_999, "kwd", "KWD 1.999"],
    [-50, "usd", "-$0.50"],
    [1_999, null, "1,999"],
    [1_999, "<b>", "1,999 <b>"],
    [1_999, "W".repeat(500), "1,999 WWWWWWWWWW…"],
  ])("%d %s", (amount, currency, expected) => {
    expect(formatAmount(amount, currency).replaceAll(/\s/g, " ")).toBe(expected);
  });
});

it.each([
  [{}, "/console/events"],
  [{ user: "a b&c=d#e", level: undefined, type: "" }, "/console/events?user=a+b%26c%3Dd%23e"],
])("the address of a view has its filters %j, encoded", (filters, expected) => {
  expect(addressOf("/console/events", filters)).toBe(expected);
});
