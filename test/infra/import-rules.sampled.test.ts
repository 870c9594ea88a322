import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { floors, importRulesPath, renderImportRules } from "../../infra/import-rules.ts";
import { depth } from "../support/depth.ts";

const root = join(import.meta.dirname, "..", "..");

/** A checkout that has only the linter's rules. Each test plants its files in it. */
const checkout = mkdtempSync(join(tmpdir(), "import-rules-"));
mkdirSync(join(checkout, "infra"));
for (const file of ["biome.json", "infra/import-rules.json"]) copyFileSync(join(root, file), join(checkout, file));
afterAll(() => rmSync(checkout, { recursive: true }));

type Planted = { file: string; text: string };

const importing = (file: string, module: string): Planted => ({
  file,
  text: `import { planted } from "${module}";\nplanted();\n`,
});

/** The specifier with which a file imports a module of another folder. */
const named = (from: string, to: string): string => {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
};

const rules = ["style/noRestrictedImports", "style/noProcessEnv", "suspicious/noImportCycles"];
/** Skipped, because linting takes long. The option `--only` would switch on a rule that the configuration lacks. */
const otherGroups = ["a11y", "complexity", "correctness", "nursery", "performance", "security"];

/** The planted files whose imports the linter refuses. */
const refused = (planted: readonly Planted[]): Set<string> => {
  for (const { file, text } of planted) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  }
  const { stdout } = spawnSync(
    join(root, "node_modules/.bin/biome"),
    ["lint", ...otherGroups.map((group) => `--skip=${group}`), "--reporter=json", "--max-diagnostics=none", "."],
    { cwd: checkout, encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string | { file: string } } }[];
  };
  const paths = diagnostics
    .filter(({ category }) => rules.some((rule) => category.endsWith(rule)))
    .map(({ location: { path } }) => (typeof path === "string" ? path : path.file));
  return new Set(paths);
};

/** A file for each pair of a root's folders: it lies in the first folder and imports from the second. */
const pairs = (base: string, folders: readonly string[], isPlanted: (from: number, to: number) => boolean): Planted[] =>
  folders.flatMap((from, i) =>
    folders.flatMap((to, j) => {
      const file = join(base, from, `to-${to.replaceAll("/", "-")}.ts`);
      return i !== j && isPlanted(i, j) ? [importing(file, named(file, join(base, to, "planted.ts")))] : [];
    }),
  );

/** All pairs in the deep tests, every tenth in a sample. */
const isTried = (_: Planted, index: number): boolean => index % depth(10, 1) === 0;

const upward = Object.entries(floors)
  .flatMap(([base, folders]) => pairs(base, folders, (from, to) => from > to))
  .filter(isTried);
const downward = Object.entries(floors)
  .flatMap(([base, folders]) => pairs(base, folders, (from, to) => from < to))
  .filter(isTried);

const otherwiseForbidden: Planted[] = [
  importing("functions/plants/function.ts", "./create-plant.ts"),
  importing("functions/plants/other-folder.ts", "../api/get-open-api-document.ts"),
  importing("functions/plants/infrastructure.ts", "../../infra/build.ts"),
  importing("functions/plants/sdk.ts", "@aws-sdk/client-dynamodb"),
  importing("functions/console/app/contract.ts", "../../../shared/api/routes.ts"),
  importing("functions/console/app/views/terms.tsx", "../../../../shared/terms/permissions.ts"),
  importing("functions/console/app/function.ts", "../get-console.ts"),
  importing("functions/console/app/other-function.ts", "../../plants/create-plant.ts"),
  importing("functions/console/app/infrastructure.ts", "../../../infra/build.ts"),
  importing("functions/console/app/test.ts", "../../../test/support/assembly.ts"),
  importing("functions/console/app/views/alerts/contract.tsx", "../../../../../shared/api/routes.ts"),
  importing("functions/console/app/views/function.tsx", "../../get-console.ts"),
  importing("functions/console/app/node.ts", "node:fs"),
  importing("functions/console/app/schema.ts", "zod/mini"),
  importing("functions/console/app/sdk.ts", "@aws-sdk/client-dynamodb"),
  importing("shared/plants/sdk.ts", "@aws-sdk/lib-dynamodb"),
  { file: "shared/plants/dynamic.ts", text: 'export const planted = await import("@aws-sdk/client-dynamodb");\n' },
  { file: "shared/plants/re-export.ts", text: 'export type { Planted } from "@aws-sdk/client-dynamodb";\n' },
  { file: "shared/plants/environment.ts", text: "export const planted = process.env.PLANTED;\n" },
  importing("shared/plants/provider-sdk.ts", "stripe"),
  importing("shared/plants/configuration.ts", "../runtime/config.ts"),
  importing("shared/provider/stripe/store.ts", "@aws-sdk/client-dynamodb"),
  importing("shared/api/store.ts", "../plants/plant-store.ts"),
  importing("shared/http/function.ts", "../../functions/plants/create-plant.ts"),
  importing("shared/wiring/infrastructure.ts", "../../infra/build.ts"),
  importing("infra/function.ts", "../functions/plants/create-plant.ts"),
  importing("infra/subject.ts", "../shared/plants/plant.ts"),
  importing("infra/constructs/test.ts", "../../test/support/assembly.ts"),
];

const needed: Planted[] = [
  importing("functions/plants/contract.ts", "../../shared/api/routes.ts"),
  importing("functions/console/app/package.tsx", "preact/hooks"),
  importing("functions/console/app/scoped-package.ts", "@preact/signals"),
  importing("functions/console/app/views/part.tsx", "../parts/table.tsx"),
  importing("functions/console/app/views/sibling.tsx", "./alert-row.tsx"),
  importing("functions/console/app/views/alerts/part.tsx", "../../parts/table.tsx"),
  importing("functions/console/app/own-types.ts", "../../../.build/console/openapi.d.ts"),
  importing("functions/console/app/api/types.ts", "../../../../.build/console/openapi.d.ts"),
  importing("shared/plants/planted-store.ts", "@aws-sdk/lib-dynamodb"),
  importing("shared/provider/stripe/sdk.ts", "stripe"),
  importing("shared/wiring/configuration.ts", "../runtime/config.ts"),
  importing("infra/contract.ts", "../shared/api/routes.ts"),
];

const cycle: Planted[] = [
  { file: "shared/plants/one.ts", text: 'import { two } from "./two.ts";\nexport const one = () => two();\n' },
  { file: "shared/plants/two.ts", text: 'import { one } from "./one.ts";\nexport const two = () => one();\n' },
];

/** One sentence if the linter's configuration is not that of the floors. */
const staleRules = (): string[] =>
  readFileSync(importRulesPath, "utf8") === renderImportRules()
    ? []
    : ["infra/import-rules.json is older than infra/import-rules.ts: run npm run fix, and commit it"];

describe("the linter", () => {
  let found: Set<string>;
  beforeAll(() => {
    found = refused([...upward, ...downward, ...otherwiseForbidden, ...needed, ...cycle]);
  });

  it.each([
    ["import that points up", upward],
    ["other kind of forbidden import", otherwiseForbidden],
    ["import of a cycle within a folder", cycle],
  ])("refuses every %s", (_, planted) => {
    const stale = staleRules();
    expect(stale.length > 0 ? stale : planted.filter(({ file }) => !found.has(file))).toEqual([]);
  });

  it.each([
    ["import that points down", downward],
    ["import that a kind of file needs", needed],
  ])("allows every %s", (_, planted) => {
    expect(planted.filter(({ file }) => found.has(file))).toEqual([]);
  });

  it("reads the rules generated from the floors", () => {
    expect(staleRules()).toEqual([]);
  });
});

describe("the floors", () => {
  it.each(Object.entries(floors))("list every folder of %s/ that has modules", (base, folders) => {
    const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", `${base}/*.ts`], {
      cwd: root,
      encoding: "utf8",
    });
    const found = new Set(stdout.split("\n").flatMap((file) => (file === "" ? [] : [relative(base, dirname(file))])));
    const listed = new Set<string>(folders);
    expect([
      ...[...found]
        .filter((folder) => !listed.has(folder))
        .map((folder) => `infra/import-rules.ts: add ${folder} to ${base}`),
      ...[...listed]
        .filter((folder) => !found.has(folder))
        .map((folder) => `infra/import-rules.ts: remove ${folder} of ${base}`),
    ]).toEqual([]);
  });

  it("match the table of docs/architecture.md", () => {
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    const section = page.split("### Floors of `shared/`")[1]?.split("\n#")[0] ?? "";
    const rows = [...section.matchAll(/^\| `([^`]+)\/` \|.*\| (?:`([^`]+)`|[^`]*) \|$/gm)];
    const documented = rows.map(([, folder = ""]) => folder);
    const unlisted = floors.shared.filter((folder) => !documented.includes(folder));
    expect(unlisted.map((folder) => `docs/architecture.md: add ${folder}/ to the table of floors`)).toEqual([]);
    expect(documented).toEqual(floors.shared);
    const missing = rows.filter(
      ([, folder, file]) => file !== undefined && !existsSync(join(root, "shared", folder ?? "", file)),
    );
    expect(missing.map(([row]) => row)).toEqual([]);
  });
});
