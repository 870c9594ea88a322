import { describe, expect, it } from "@jest/globals";
import { chunksOf } from "../../../shared/runtime/chunks.ts";

describe("chunksOf", () => {
  it.each([
    [[], 2, []],
    [[1], 2, [[1]]],
    [[1, 2], 2, [[1, 2]]],
    [[1, 2, 3], 2, [[1, 2], [3]]],
  ])("splits %j by %d", (items, size, chunks) => {
    expect([...chunksOf(items, size)]).toEqual(chunks);
  });

  it("takes an item only when its chunk is asked for", () => {
    let taken = 0;
    const numbers = function* () {
      for (;;) yield ++taken;
    };
    expect(chunksOf(numbers(), 3).next().value).toEqual([1, 2, 3]);
    expect(taken).toBe(3);
  });
});
