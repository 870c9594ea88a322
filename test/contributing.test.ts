/** What CONTRIBUTING.md and docs/deployment.md say in steps. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("the recipe for an endpoint", () => {
  const recipe = read("CONTRIBUTING.md").split("## Add an endpoint")[1]?.split("\n## ")[0] ?? "";
  const [, method = "", path = "", name = ""] =
    /As an example, `(\w+) (\S+)` with the route's name `(\w+)`/.exec(recipe) ?? [];

  // `/plants/{id}/label` as `/plants/1/label`. Whoever follows the recipe may ask for it in other tests.
  it("adds a path that no test requires to be missing", () => {
    expect([method, name]).toEqual(["GET", expect.stringMatching(/./)]);
    const asked = new RegExp(`"${path.replaceAll(/\{\w+\}/g, '[^/"{}]+')}"`);
    expect(read("test/http/requests.sampled.test.ts")).not.toMatch(asked);
  });

  it.each([
    "README.md",
    "docs/api.md",
    "docs/data-model.md",
    "test/faults/endpoint-cases.ts",
    "infra/constructs/grants.ts",
  ])("names %s, which a test compares with the routes", (file) => expect(recipe).toContain(file));
});

describe("the first week in production", () => {
  it("has its steps in the order in which one needs the other", () => {
    const [, week = ""] = read("docs/deployment.md").split("## The first week in production");
    const steps = [...(week.split("\n## ")[0] ?? "").matchAll(/^\d+\. \*\*(.+?)\.\*\*/gm)].map(([, step]) => step);
    expect(steps).toEqual([
      "Quota",
      "Bootstrap",
      "Preflight",
      "Topic and pager",
      "Deploy",
      "Console client",
      "Smoke",
      "Pipeline",
      "Cost",
      "Restore",
    ]);
  });
});
