import { describe, expect, it } from "@jest/globals";
import { accessProblems, fileProblems, permissionProblems } from "../../infra/constructs/require-complete.ts";

describe("a function file", () => {
  const wanted = new Map([
    ["get-plant", "The route getPlant (GET /plants/{id})"],
    ["run-sync", "The background function run-sync"],
  ]);
  const files = (...paths: string[]) =>
    new Map(paths.map((path) => [path.split("/").at(-1)?.replace(".ts", "") ?? "", path] as const));

  it.each([
    ["is there for each purpose", files("functions/plants/get-plant.ts", "functions/sync/run-sync.ts"), []],
    [
      "is missing",
      files("functions/sync/run-sync.ts"),
      [
        "The route getPlant (GET /plants/{id}) has no function: add functions/<subject>/get-plant.ts, which exports handler.",
      ],
    ],
    [
      "has the wrong name",
      files("functions/sync/run-sync.ts", "functions/plants/fetch-plant.ts"),
      [
        "The route getPlant (GET /plants/{id}) has no function: rename functions/plants/fetch-plant.ts to get-plant.ts, or add that file beside it.",
      ],
    ],
    [
      "has no route",
      files("functions/plants/get-plant.ts", "functions/sync/run-sync.ts", "functions/plants/feed-plant.ts"),
      [
        "functions/plants/feed-plant.ts has no route and no trigger: add feed-plant to a table of shared/api/ (*-routes.ts, joined in routes.ts, or background-functions.ts), or delete the file.",
      ],
    ],
  ])("that %s", (_, present, problems) => {
    expect(fileProblems(wanted, present)).toEqual(problems);
  });
});

it("a route without rights is named with the file to change", () => {
  expect(accessProblems(["listPlants", "getPlant"], { listPlants: {} })).toEqual([
    "infra/constructs/grants.ts: add the rights of getPlant, or NO_ACCESS if it needs none.",
  ]);
});

it("a route without a permission that exists is named", () => {
  const route = { method: "GET", path: "/plants/{id}" } as const;
  const routes = [
    ["readPlant", { ...route, permission: "plants:read" }],
    ["openPlant", { ...route, permission: "public" }],
    ["getPlant", route],
    ["waterPlant", { ...route, permission: "plants:water" }],
  ] as const;
  const advice = "in its table of shared/api/, give it one of shared/terms/permissions.ts.";
  expect(permissionProblems(routes)).toEqual([
    `The route getPlant (GET /plants/{id}) has no permission: ${advice}`,
    `The route waterPlant (GET /plants/{id}) has the unknown permission plants:water: ${advice}`,
  ]);
});
