import { describe, expect, it } from "@jest/globals";
import { namesOrganization, parseCaller } from "../../../shared/terms/caller.ts";
import { findClaim } from "../../../shared/terms/claims.ts";

it.each([
  ["org:acme", true],
  ["org:", true],
  ["user:org:", false],
  ["", false],
  [undefined, false],
])("the scope %j names an organization: %s", (scope, expected) => {
  expect(namesOrganization(scope)).toBe(expected);
});

describe("an identifier", () => {
  const settings = { organization: "org", role: "role", roleMapping: {} };
  it.each([
    [128, "x"],
    [128, "🌵"],
    [1, "."],
  ])("may be %d times %s", (count, character) => {
    const sub = character.repeat(count);
    expect(parseCaller({ sub }, settings).caller?.userId).toBe(sub);
  });
  it.each(["", "x".repeat(129), "a b", " a", "a\n", 7])("may not be %j", (sub) => {
    expect(parseCaller({ sub }, settings)).toEqual({ malformed: "sub" });
  });
});

describe("a claim", () => {
  it.each([
    [{ a: { b: 1 } }, "a.b", 1],
    [{ "a.b": 1, a: { b: 2 } }, "a.b", 1],
    [{ "a.b": { c: 1 } }, "a.b.c", 1],
    [{ a: {}, "a.b": { c: 1 } }, "a.b.c", 1],
    [{ a: 7, "a.b": { c: 1 } }, "a.b.c", 1],
    [{ a: { b: null }, "a.b": {} }, "a.b.c", null],
    [{ a: 7 }, "a.b", null],
    [{ a: [{ b: 1 }] }, "a.b", null],
    [{ a: {} }, "a.b", undefined],
    [{ "": { b: 1 } }, ".b", 1],
    [{ a: { "": 1 } }, "a.", 1],
    [{ ab: 1 }, "a.b", undefined],
    [{}, "toString", undefined],
    [{ a: {} }, "a.toString", undefined],
  ])("of %j by the name %s is %j", (claims, name, expected) => {
    expect(findClaim(claims, name)).toBe(expected);
  });
});
