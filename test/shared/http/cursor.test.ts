import { describe, expect, it } from "@jest/globals";
import * as z from "zod/mini";
import { createCursors } from "../../../shared/http/cursor.ts";
import { Int64 } from "../../../shared/json/int64.ts";
import { fc } from "../../support/fixed-seed.ts";

const seed = 20_261_121;
const cursors = createCursors("a secret of at least 32 characters");
const position = z.object({ id: Int64 });
const binding = { scope: "org:acme", query: "GET /plants []" };
const sealed = cursors.seal(binding, { id: 9007199254740993n });

describe("cursors", () => {
  it("restore the exact position", () => {
    expect(cursors.open(binding, position, sealed)).toEqual({ id: 9007199254740993n });
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (scope, query, id) => {
          expect(cursors.open({ scope, query }, position, cursors.seal({ scope, query }, { id }))).toEqual({ id });
        },
      ),
      { seed },
    );
  });

  it("are no longer for a longer query, which the address of the next page has beside them", () => {
    const long = { ...binding, query: `GET /records ${"🌱".repeat(512)}` };
    expect(cursors.seal(long, { id: 1n })).toHaveLength(cursors.seal(binding, { id: 1n }).length);
    expect(cursors.open(long, position, cursors.seal(long, { id: 1n }))).toEqual({ id: 1n });
  });

  it("reveal nothing of their contents", () => {
    const seen = Buffer.from(sealed, "base64url").toString("latin1");
    expect(seen).not.toContain("acme");
    expect(seen).not.toContain("9007199254740993");
  });

  it("are refused for another scope, query, secret or shape", () => {
    const refused = {
      code: "invalid_cursor",
      message: "cursor: expected a cursor that this service issued for this query",
    };
    const opening =
      (...[otherBinding, schema, cursor]: Parameters<typeof cursors.open>) =>
      () =>
        cursors.open(otherBinding, schema, cursor);
    const other = createCursors("another secret of 32 characters or more");
    for (const open of [
      opening({ ...binding, scope: "org:other" }, position, sealed),
      opening({ ...binding, query: 'GET /plants [["x","y"]]' }, position, sealed),
      opening(binding, position, other.seal(binding, { id: 1n })),
      opening(binding, z.object({ name: z.string() }), sealed),
    ]) {
      expect(open).toThrow(expect.objectContaining(refused));
    }
  });

  it("tell the service, not the client, of which scope they are", () => {
    const foreignScopeOf = (scope: string, query: string): unknown => {
      try {
        return cursors.open({ scope, query }, position, sealed);
      } catch (error) {
        return Object(error).foreignScope;
      }
    };
    expect(foreignScopeOf("org:other", binding.query)).toBe("org:acme");
    expect(foreignScopeOf("org:acme", "GET /others []")).toBeUndefined();
  });

  it("are refused if a single character is changed", () => {
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(..."AZaz09-_=.! "), (at, character) => {
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
        fc.pre(changed !== sealed);
        expect(() => cursors.open(binding, position, changed)).toThrow("cursor: expected");
      }),
      { seed, numRuns: 500 },
    );
  });

  it.each(["", "x", "%00", "null", sealed.slice(0, 30), `${sealed}A`])("are not %p", (garbage) => {
    expect(() => cursors.open(binding, position, garbage)).toThrow("cursor: expected");
  });
});
