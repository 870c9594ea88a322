/** The committed examples of the OpenAPI document are what the service answers now; `npm run examples` records them again. */
import { describe, expect, it } from "@jest/globals";
import committed from "../../shared/api/examples.json" with { type: "json" };
import { type Examples, recordExamples } from "../examples/record-examples.ts";
import { haveSameShape } from "../examples/shape.ts";
import { useService } from "../support/use-service.ts";

const recorded = await recordExamples(await useService());

const examples = Object.entries(committed as Examples).flatMap(([operation, byName]) =>
  Object.entries(byName).map(([name, example]) => ({ operation, name, example })),
);

describe("the service", () => {
  it.each(examples)("answers $operation as its example $name shows", ({ operation, name, example }) => {
    const now = recorded[operation]?.[name];
    // Both are shown if they differ.
    if (!haveSameShape(now, example)) expect(now).toEqual(example);
  });

  it("has no examples but the committed ones", () => {
    const namesOf = (some: Examples) =>
      Object.entries(some).map(([operation, byName]) => [operation, Object.keys(byName)]);
    expect(namesOf(recorded)).toEqual(namesOf(committed as Examples));
  });
});
