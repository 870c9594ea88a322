import { expect, it } from "@jest/globals";
import calledAtStart from "../../infra/bundling/called-at-start.json" with { type: "json" };
import { readCalledAtStart } from "../bench/called-at-start.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { newDirectory } from "../support/temporary-directory.ts";

const namesOf = (called: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(called).flatMap(([file, positions]) => positions.map((position) => `${file} ${position}`));

// A few differ from run to run: which ones answer early depends on the network.
it("the list of functions that a cold start calls is that of a cold start now", async () => {
  const listed = new Set(namesOf(calledAtStart));
  const called = namesOf(await readCalledAtStart({ assemblyDirectory, workDirectory: newDirectory("called-") }));
  expect(called.filter((name) => !listed.has(name)).length).toBeLessThan(called.length / 20);
});
