import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "@jest/globals";

const root = join(import.meta.dirname, "..", "..");

/** A place with the project's linter rules and nothing else, so that what is planted is in nobody's way. */
const place = mkdtempSync(join(tmpdir(), "import-rules-"));
copyFileSync(join(root, "biome.json"), join(place, "biome.json"));
afterAll(() => rmSync(place, { recursive: true }));

/** Whether the linter refuses a file of this one line. */
const isRefused = (folder: string, name: string, line: string): boolean => {
  mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(place, folder, name), `${line}\n`);
  const biome = join(root, "node_modules/.bin/biome");
  const { status, stdout, stderr } = spawnSync(biome, ["lint", join(folder, name)], { cwd: place, encoding: "utf8" });
  return status !== 0 && /noRestrictedImports|noProcessEnv/.test(stdout + stderr);
};

const imports = (module: string) => `import { planted } from "${module}";\nplanted();`;

describe("the linter", () => {
  it.each([
    ["functions/plants", "planted.ts", imports("./create-plant.ts")],
    ["functions/plants", "planted.ts", imports("../api/get-open-api-document.ts")],
    ["functions/plants", "planted.ts", imports("../../infra/build.ts")],
    ["functions/plants", "planted.ts", imports("@aws-sdk/client-dynamodb")],
    ["shared/plants", "planted.ts", imports("@aws-sdk/lib-dynamodb")],
    ["shared/plants", "planted.ts", 'export const planted = await import("@aws-sdk/client-dynamodb");'],
    ["shared/plants", "planted.ts", 'export type { Planted } from "@aws-sdk/client-dynamodb";'],
    ["shared/plants", "planted.ts", "export const planted = process.env.PLANTED;"],
    ["shared/plants", "planted-store.ts", imports("../http/respond.ts")],
    ["shared/api", "planted.ts", imports("../plants/plant-store.ts")],
    ["shared/http", "planted.ts", imports("../../functions/plants/create-plant.ts")],
    ["infra", "planted.ts", imports("../functions/plants/create-plant.ts")],
    ["infra", "planted.ts", imports("../shared/plants/plant.ts")],
    ["infra/constructs", "planted.ts", imports("../../test/support/assembly.ts")],
  ])("refuses in %s/%s: %s", (folder, name, line) => {
    expect(isRefused(folder, name, line)).toBe(true);
  });

  it.each([
    ["functions/plants", "planted.ts", imports("../../shared/api/routes.ts")],
    ["shared/plants", "planted-store.ts", imports("@aws-sdk/lib-dynamodb")],
    ["infra", "planted.ts", imports("../shared/api/routes.ts")],
  ])("takes in %s/%s: %s", (folder, name, line) => {
    expect(isRefused(folder, name, line)).toBe(false);
  });
});
