import { describe, expect, it } from "@jest/globals";
import { createUserMatcher } from "../../../shared/terms/mentions-user.ts";
import { fc } from "../../support/fixed-seed.ts";

describe("a user matcher", () => {
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
    // A text that was cut may have the beginning of an identifier at its end.
    ["bob", "asked by bo…[cut]", true],
    ["bob", "asked by (b…[cut]", true],
    ["bob", "asked by bob…[cut]", true],
    ["bob", "asked by kabo…[cut]", false],
    ["bob", "asked by bo", false],
    ["bob", "asked by bo…", false],
    ["|x|", "a|x…[cut]", true],
    ["auth0|7", "by auth0|…[cut]", true],
    ["😀😀", "by 😀…[cut]", true],
    ["bob", "…[cut]", false],
  ])("finds %s in %j: %s", (id, text, expected) => {
    expect(createUserMatcher([id]).mentions(text)).toBe(expected);
  });

  it("finds the user at any depth, in keys, texts, lists and sets", () => {
    const { mentions } = createUserMatcher(["bob"]);
    expect(mentions({ a: [{ b: "by bob" }] })).toBe(true);
    expect(mentions({ bob: 1 })).toBe(true);
    expect(mentions(new Set(["bob"]))).toBe(true);
    expect(mentions({ a: [1, null, true, 7n, "ada"], b: undefined, c: new Uint8Array([98, 111, 98]) })).toBe(false);
  });

  it("removes mentions and keeps the shape", () => {
    const { withoutMentions } = createUserMatcher(["bob"]);
    expect(
      withoutMentions({ list: ["bob", "ada", { by: "bob" }], text: "of bob", bob: 1, n: 7n, deep: { why: "bob" } }),
    ).toEqual({ list: ["ada"], text: "", n: 7n, deep: { why: "" } });
    expect(withoutMentions(new Set(["bob", "ada"]))).toEqual(new Set(["ada"]));
    const untouched = { a: ["ada"] };
    expect(withoutMentions(untouched)).toBe(untouched);
  });

  it("leaves no mention in a value of any shape", () => {
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
    const { mentions, withoutMentions } = createUserMatcher(["bob"]);
    fc.assert(
      fc.property(value, (before) => {
        expect(mentions(withoutMentions(before))).toBe(false);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});
