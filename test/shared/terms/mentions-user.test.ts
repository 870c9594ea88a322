import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createNaming } from "../../../shared/terms/mentions-user.ts";

describe("a user", () => {
  it.each([
    ["bob", "bob", true],
    ["bob", "user:bob", true],
    ["bob", "bob's key", true],
    ["bob", "ask (bob) first", true],
    ["bob", "bob@example.com", true],
    ["bob", "bob-2", true],
    ["bob", "bobby", false],
    ["bob", "kabob", false],
    ["bob", "bob_2", false],
    ["bob", "böbob", false],
    ["bob", "kabob and bob", true],
    ["auth0|7", "by auth0|7.", true],
    ["auth0|7", "by auth0|77.", false],
    ["|x|", "a|x|b", true],
    ["名", "名前", false],
    ["名", "「名」", true],
    ["2026", "2026-11-21T10", false],
    ["2026-11-21", "2026-11-21", true],
    ["10", "2026-11-10 was late", true],
  ])("%s is named in %j: %s", (id, text, expected) => {
    expect(createNaming([id]).names(text)).toBe(expected);
  });

  it("is found at any depth, in keys and texts, lists and sets", () => {
    const { names } = createNaming(["bob"]);
    expect(names({ a: [{ b: "by bob" }] })).toBe(true);
    expect(names({ bob: 1 })).toBe(true);
    expect(names(new Set(["bob"]))).toBe(true);
    expect(names({ a: [1, null, true, 7n, "ada"], b: undefined, c: new Uint8Array([98, 111, 98]) })).toBe(false);
  });

  it("goes, and the shape stays", () => {
    const { without } = createNaming(["bob"]);
    expect(
      without({ list: ["bob", "ada", { by: "bob" }], text: "of bob", bob: 1, n: 7n, deep: { why: "bob" } }),
    ).toEqual({
      ...{ list: ["ada"], text: "", n: 7n, deep: { why: "" } },
    });
    expect(without(new Set(["bob", "ada"]))).toEqual(new Set(["ada"]));
    const untouched = { a: ["ada"] };
    expect(without(untouched)).toBe(untouched);
  });

  it("is named nowhere in what is left, whatever it was", () => {
    const word = fc.constantFrom("bob", "ada", "by bob", "bobby", "x");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        word,
        fc.integer(),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(word, tie("value"), { maxKeys: 4 }),
      ),
    }));
    const { names, without } = createNaming(["bob"]);
    fc.assert(
      fc.property(value, (before) => {
        expect(names(without(before))).toBe(false);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
