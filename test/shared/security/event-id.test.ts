import { describe, expect, it } from "@jest/globals";
import { eventId, firstIdAt, timeOfEventId } from "../../../shared/security/event-id.ts";
import { fc } from "../../support/fixed-seed.ts";

const seed = 20_261_121;
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const random = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe("an event's id", () => {
  it("sorts by time, and its time can be read back", () => {
    fc.assert(
      fc.property(time, time, random, random, (first, second, a, b) => {
        const [one, other] = [eventId(first, a), eventId(second, b)];
        expect(timeOfEventId(one)).toBe(first);
        if (first < second) expect(one < other).toBe(true);
      }),
      { seed },
    );
  });

  it("is at least the first id of its time, and below the first id of the next millisecond", () => {
    fc.assert(
      fc.property(time, random, (at, bytes) => {
        expect(eventId(at, bytes) >= firstIdAt(at)).toBe(true);
        expect(eventId(at, bytes) < firstIdAt(at + 1)).toBe(true);
      }),
      { seed },
    );
  });

  it("is a ULID", () => {
    expect(eventId(1_469_918_176_385, new Uint8Array(16))).toBe("01ARYZ6S410000000000000000");
  });

  it.each([
    "",
    "x",
    "01ARYZ6S41",
    "81ARYZ6S410000000000000000",
    "01ARYZ6S41000000000000000U",
    "01aryz6s410000000000000000",
  ])("is not %p", (text) => {
    expect(timeOfEventId(text)).toBeUndefined();
  });
});
