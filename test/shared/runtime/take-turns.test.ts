import { describe, expect, it } from "@jest/globals";
import { createTurns } from "../../../shared/runtime/take-turns.ts";

const begun = () => {
  const list: string[] = [];
  const gates: Record<string, PromiseWithResolvers<string>> = {};
  const work = (name: string) => () => {
    list.push(name);
    gates[name] = Promise.withResolvers<string>();
    return gates[name].promise;
  };
  return { list, gates, work };
};
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("taking turns", () => {
  it("runs once at a time per key; waiting calls share the next run", async () => {
    const { list, gates, work } = begun();
    const turns = createTurns<string>();
    const first = turns("a", work("first"));
    const second = turns("a", work("second"));
    const third = turns("a", work("third"));
    const other = turns("b", work("other"));
    await settled();
    expect(list).toEqual(["first", "other"]);
    gates.first?.resolve("1");
    gates.other?.resolve("o");
    await settled();
    expect(list).toEqual(["first", "other", "second"]);
    const fourth = turns("a", work("fourth"));
    gates.second?.resolve("2");
    await settled();
    gates.fourth?.resolve("4");
    expect(await Promise.all([first, second, third, other, fourth])).toEqual(["1", "2", "2", "o", "4"]);
    expect(list).toEqual(["first", "other", "second", "fourth"]);
  });

  it("continues after a failure, which rejects only the calls of that run", async () => {
    const turns = createTurns<string>();
    const failing = turns("a", async () => {
      throw new Error("no");
    });
    const next = turns("a", async () => "yes");
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("yes");
    expect(await turns("a", async () => "again")).toBe("again");
  });
});
