import { describe, expect, it } from "@jest/globals";
import { observedAtOf } from "../../../../shared/provider/stripe/request.ts";

const date = "Sat, 21 Nov 2026 10:00:00 GMT";
const second = Date.parse(date) / 1_000;

describe("the time of observation of an answer's objects", () => {
  it.each([
    [0, second - 1],
    [1, second - 2],
    [1_000, second - 2],
    [1_001, second - 3],
    [9_999, second - 11],
    // Our clock was set back concurrently.
    [-5_000, second - 1],
  ])("ends with the answer's date, and starts before the request: %i ms", (tookMs, from) => {
    // Our clock differs from the provider's.
    expect(observedAtOf({ date, sentAt: 500_000, receivedAt: 500_000 + tookMs })).toEqual({ from, to: second });
  });

  it.each([[undefined], [""], ["yesterday"], ["Mon, 01 Jan 1900 00:00:00 GMT"]])(
    "is five minutes around our own time if the answer has no date: %j",
    (none) => {
      expect(observedAtOf({ date: none, sentAt: second * 1_000 + 400, receivedAt: second * 1_000 + 1_900 })).toEqual({
        from: second + 1 - 2 - 1 - 300,
        to: second + 1 + 300,
      });
    },
  );

  it("is never negative", () => {
    expect(observedAtOf({ date: undefined, sentAt: 0, receivedAt: 10 }).from).toBe(0);
  });
});
