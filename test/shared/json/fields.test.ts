import { describe, expect, it } from "@jest/globals";
import { createSchema } from "zod-openapi";
import { definedFields } from "../../../shared/json/defined-fields.ts";
import { count, epochMs, integer } from "../../../shared/json/number-fields.ts";

describe("the defined fields", () => {
  it("omit only undefined values, and keep the order", () => {
    const fields = definedFields({ b: 0, a: undefined as string | undefined, c: null, d: "", e: false });
    expect(Object.entries(fields)).toEqual([
      ["b", 0],
      ["c", null],
      ["d", ""],
      ["e", false],
    ]);
  });

  it("keep required fields required and make the others optional", () => {
    const tag: string | undefined = undefined;
    const plant: { name: string; tag?: string } = definedFields({ name: "Aloe", tag: tag as string | undefined });
    expect(plant).toEqual({ name: "Aloe" });
  });
});

describe("a number's documentation", () => {
  it.each([
    [integer("Anything."), { type: "integer", description: "Anything." }],
    [count("Things."), { type: "integer", minimum: 0, description: "Things." }],
    [epochMs(), { type: "integer", description: "Epoch milliseconds." }],
    [epochMs("of the end."), { type: "integer", description: "Epoch milliseconds: of the end." }],
  ])("names its type, bounds and unit", (schema, documented) => {
    expect(createSchema(schema).schema).toEqual(documented);
  });
});
