import { describe, expect, it } from "@jest/globals";
import { atMost } from "../../functions/console/app/api/at-most.ts";

const { signal } = new AbortController();

/** Works that end when they are told to. */
const setUp = (most: number) => {
  const run = atMost(most);
  const begun: number[] = [];
  const ends: ((outcome: "done" | "failed") => void)[] = [];
  const start = (index: number, given = signal) =>
    run(async () => {
      begun.push(index);
      const { promise, resolve } = Promise.withResolvers<"done" | "failed">();
      ends[index] = resolve;
      if ((await promise) === "failed") throw new Error("failed");
      return index;
    }, given);
  return { begun, start, end: (index: number, outcome: "done" | "failed" = "done") => ends[index]?.(outcome) };
};

const settled = () => new Promise(setImmediate);

describe("works of which some may be under way at once", () => {
  it("begin in the order of their calls, as others end or fail", async () => {
    const { begun, start, end } = setUp(2);
    const all = Promise.allSettled([0, 1, 2, 3].map((index) => start(index)));
    await settled();
    expect(begun).toEqual([0, 1]);
    end(1, "failed");
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    end(0);
    await settled();
    expect(begun).toEqual([0, 1, 2, 3]);
    end(2);
    end(3);
    expect((await all).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    const again = start(4);
    await settled();
    end(4);
    await expect(again).resolves.toBe(4);
  });

  it("do not begin if they are aborted before their turn", async () => {
    const { begun, start, end } = setUp(1);
    const controller = new AbortController();
    const results = Promise.allSettled([start(0), start(1, controller.signal), start(2)]);
    await settled();
    controller.abort();
    end(0);
    await settled();
    expect(begun).toEqual([0, 2]);
    end(2);
    expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});
