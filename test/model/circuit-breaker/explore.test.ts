import { describe, expect, it } from "@jest/globals";
import { depth, isDeep } from "../../support/depth.ts";
import { hunt } from "./hunt.ts";
import { implied, mutations } from "./mutations.ts";
import { small } from "./scenarios.ts";
import { explore } from "./search.ts";

describe("every order of events", () => {
  it.each(small.map((scenario) => [scenario.name, scenario] as const))(
    "keeps the invariants: %s",
    (_name, scenario) => {
      // A sample visits only the first states of each scenario.
      const { finding, isComplete } = isDeep ? explore(scenario) : explore(scenario, { maxStates: 4_000 });
      expect(finding).toBeUndefined();
      expect(isComplete || !isDeep).toBe(true);
    },
  );
});

describe("the invariants", () => {
  // Every tenth mutation; `npm run explore` tries all of them.
  const needed = mutations.filter(({ name }) => implied[name] === undefined);
  const chosen = needed.filter((_, index) => index % depth(30, 10) === 1);
  it.each(chosen.map((mutation) => [mutation.name, mutation] as const))("detect a mutation: %s", (_name, mutation) => {
    expect(hunt(mutation)).toBeDefined();
  });

  it("have a list of implied guards that all exist", () => {
    expect(mutations.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(implied)));
    expect(needed.length).toBeGreaterThan(100);
  });
});
