import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { bundleDirectory } from "../../../../infra/bundling/bundle-directory.ts";
import { createSourcePositions } from "../../../../infra/local/lambda/source-positions.ts";
// Waits until the functions are built.
import "../../../support/assembly.ts";

const bundle = join(bundleDirectory("create-plant"), "bundle.cjs");
const STATEMENT = "a plant with the id";

/** The position of a text, as Node's stacks have it. */
const positionOf = (file: string): string => {
  const before = readFileSync(file, "utf8").split(STATEMENT)[0]?.split("\n") ?? [];
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
};

describe("a position in a bundle", () => {
  const toSource = createSourcePositions();
  const source = readFileSync("shared/plants/plant-store.ts", "utf8").split(STATEMENT)[0]?.split("\n").length;

  it.each([
    [
      "a stack",
      `    at async xy (${bundle}:${positionOf(bundle)})`,
      `    at async shared/plants/plant-store.ts:${source}:`,
    ],
    [
      "a line of JSON",
      JSON.stringify({ cause: `Error: x\n    at ${bundle}:${positionOf(bundle)}` }),
      `at shared/plants/plant-store.ts:${source}:`,
    ],
  ])("becomes the position in the source file, in %s", (_, text, expected) => {
    expect(toSource(text)).toContain(expected);
    expect(toSource(text)).not.toContain("bundle.cjs");
  });

  it("stays unchanged if the file has no source map", () => {
    const line = "    at handler (/nowhere/bundle.cjs:1:2)";
    expect(toSource(line)).toBe(line);
  });
});
