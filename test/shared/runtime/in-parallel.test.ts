import { describe, expect, it } from "@jest/globals";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("inParallel", () => {
  it("processes each item once, within the concurrency limit", async () => {
    const done: number[] = [];
    let [underWay, most] = [0, 0];
    const numbers = async function* () {
      for (let i = 0; i < 20; i++) yield i;
    };
    await inParallel(numbers(), 3, async (i) => {
      most = Math.max(most, ++underWay);
      await tick();
      underWay--;
      done.push(i);
    });
    expect(most).toBe(3);
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it("starts no item after a failure, and fails after the started ones have ended", async () => {
    const begun: number[] = [];
    const over: number[] = [];
    const work = inParallel([0, 1, 2, 3, 4], 2, async (i) => {
      begun.push(i);
      await tick();
      if (i === 0) throw new Error("first");
      await tick();
      over.push(i);
    });
    await expect(work).rejects.toThrow("first");
    expect({ begun, over }).toEqual({ begun: [0, 1], over: [1] });
  });

  it("fails if the iteration of the items fails", async () => {
    const broken = async function* () {
      yield 1;
      throw new Error("no more");
    };
    await expect(inParallel(broken(), 4, async () => undefined)).rejects.toThrow("no more");
  });
});
