import { describe, expect, it } from "@jest/globals";
import * as z from "zod/mini";
import { pageQuery } from "../../../shared/http/page-query.ts";

const query = (maxLimit = 1_000) => pageQuery({ defaultLimit: 20, maxLimit, position: z.object({}) });

describe("the limit of a page", () => {
  it.each([
    ["1", 1],
    ["10", 10],
    ["1000", 1_000],
    ["000000007", 7],
  ])("%j is %d", (limit, expected) => {
    expect(query().parse({ limit })).toEqual({ limit: expected });
  });

  it.each(["0", "1001", "", " 1", "1 ", "1\n", "+1", "-1", "1.0", "1e2", "0x1", "١", "0000000007", 7])(
    "is not %j",
    (limit) => {
      const { error } = query().safeParse({ limit });
      expect(error?.issues.map(({ message }) => message)).toContain("expected an integer between 1 and 1000");
    },
  );

  it("may be nine digits if the route allows it", () => {
    expect(query(999_999_999).parse({ limit: "999999999" })).toEqual({ limit: 999_999_999 });
  });

  it("may be left out, and is documented", () => {
    expect(query().parse({})).toEqual({});
    expect(z.globalRegistry.get(query().shape.limit.def.innerType)).toMatchObject({
      override: { type: "integer", minimum: 1, maximum: 1_000, default: 20 },
    });
  });
});

it("a cursor is documented as base64url of a nonce, a tag and at least one byte", () => {
  const { override } = z.globalRegistry.get(query().shape.cursor.def.innerType) ?? {};
  const pattern = typeof override === "object" ? (override.pattern ?? "") : "";
  const matches = ["A".repeat(39), "-_9".repeat(20), "A".repeat(38), `${"A".repeat(39)}=`];
  expect(matches.map((cursor) => new RegExp(pattern).test(cursor))).toEqual([true, true, false, false]);
});
