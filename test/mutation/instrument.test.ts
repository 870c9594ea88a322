import { stripTypeScriptTypes } from "node:module";
import { describe, expect, it } from "@jest/globals";
import { instrumentText, switchesName } from "./instrument.ts";
import { regexChanges } from "./regex-changes.ts";

/** Runs a function body with one fault, or with none. */
const run = (body: string, id: string | undefined, ...input: unknown[]): unknown => {
  const { source } = instrumentText("body.ts", `export const f = (a: unknown, b: unknown) => {${body}};`);
  const switches = { m: (one: string) => one === id, l: () => {} };
  const code = stripTypeScriptTypes(source).replace("export const f =", "return");
  return new Function("globalThis", code)({ [switchesName]: switches })(...input);
};
const faultsOf = (body: string) =>
  instrumentText("body.ts", `export const f = (a: unknown, b: unknown) => {${body}};`).mutants;

/** What each fault of a body makes of an input. */
const results = (body: string, ...input: unknown[]) =>
  Object.fromEntries(
    faultsOf(body).map(({ id, operator, original, replacement }) => [
      `${operator}: ${original} → ${replacement}`,
      run(body, id, ...input),
    ]),
  );

describe("code with faults behind switches", () => {
  it("does the same as before while no fault is on", () => {
    const body =
      "if (a) b.push(1); else b.push(2); for (const x of [3]) if (x > 2) b.push(x); return b.filter(Boolean);";
    expect(run(body, undefined, true, [])).toEqual([1, 3]);
    expect(run(body, undefined, false, [])).toEqual([2, 3]);
    expect(run("return a?.b?.filter(Boolean).length ?? 7", undefined, undefined)).toBe(7);
  });

  it("does what the fault says while it is on", () => {
    expect(results("return a < b && !b;", 0, 0)).toEqual({
      "condition: a < b → true": true,
      "boundary: a < b → (a) <= (b)": true,
      "condition: a < b → false": false,
      "condition: b → true": false,
      "condition: b → false": false,
    });
    expect(results("return a >= b ? 'x' : 'y z';", 1, 1)).toEqual({
      "condition: a >= b → true": "x",
      "condition: a >= b → false": "y z",
      "boundary: a >= b → (a) > (b)": "y z",
      "word: 'x' → \"\"": "",
    });
    expect(results("return (a ?? b) + 1;", undefined, 2)).toEqual({
      "arithmetic: (a ?? b) + 1 → (a ?? b) - (1)": 1,
      "default: a ?? b → (a)": Number.NaN,
      "default: a ?? b → (b)": 3,
      "number: 1 → 2": 4,
    });
    expect(results("a.push(b); return a?.slice(1);", [1, 2], 3)).toMatchObject({
      "method: slice → valueOf": [1, 2, 3, 3],
    });
  });

  it("leaves clauses of a condition out, also nested ones as a whole", () => {
    const changed = faultsOf('return "a = b AND (c OR d) AND e";').filter(({ operator }) => operator === "clause");
    expect(changed.map(({ replacement }) => replacement)).toEqual([
      '"(c OR d) AND e"',
      '"a = b AND e"',
      '"a = b AND (c OR d)"',
    ]);
  });

  it("gives equal faults of one line different ids that do not depend on the line's number", () => {
    const ids = (text: string) => instrumentText("x.ts", text).mutants.map(({ id }) => id);
    const line = "export const f = (a: number) => a + 1 + a + 1;";
    expect(new Set(ids(line)).size).toBe(ids(line).length);
    expect(ids(`// Another line.\n${line}`)).toEqual(ids(line));
  });
});

describe("changed patterns", () => {
  it.each([
    ["/^a$/", ["/a$/", "/^a/"]],
    ["/[a-z]+/", ["/[^a-z]+/", "/[a-z]/", "/[a-z]*/"]],
    ["/\\d{2,3}/", ["/\\D{2,3}/", "/\\d{3,3}/", "/\\d{2,2}/"]],
    ["/(?:a|b|c)/i", ["/(?:b|c)/i", "/(?:a|c)/i", "/(?:a|b)/i", "/(?:a|b|c)/"]],
    ["/(?<!x)a?/", ["/(?<=x)a?/", "/(?<!x)a/"]],
    ["/a/", []],
  ])("of %s", (pattern, changed) => {
    expect(regexChanges(pattern)).toEqual(changed);
  });
});
