import { describe, expect, it } from "@jest/globals";
import { text } from "../../../shared/json/text.ts";
import { fc } from "../../support/fixed-seed.ts";

const codePoint = fc.string({ unit: "binary", minLength: 1, maxLength: 1 });

describe("text", () => {
  it.each([
    [1, 3, "", false],
    [1, 3, "a", true],
    [1, 3, "abc", true],
    [1, 3, "abcd", false],
    [1, 3, "🌵🌵🌵", true],
    [1, 3, "🌵🌵🌵🌵", false],
    [2, 3, "🌵", false],
    [0, 2, "", true],
  ])("of %i to %i characters accepts %p: %p", (min, max, value, taken) => {
    expect(text(min, max, "").safeParse(value).success).toBe(taken);
  });

  it("counts any code points", () => {
    fc.assert(
      fc.property(fc.array(codePoint, { maxLength: 8 }), fc.nat(4), fc.nat(4), (points, min, more) => {
        const taken = points.length >= min && points.length <= min + more;
        expect(text(min, min + more, "").safeParse(points.join("")).success).toBe(taken);
      }),
      { seed: 20_261_121 },
    );
  });
});
