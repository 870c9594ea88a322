import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { infra, listModules, shared } from "../../infra/import-rules.ts";
import { newDirectory } from "../support/temporary-directory.ts";

const root = join(import.meta.dirname, "..", "..");

/** Checkouts in which the tests plant their files. The linter's is small, because linting takes long. */
const checkout = newDirectory("import-rules-");
const linted = newDirectory("lint-rules-");
afterAll(() => {
  for (const directory of [checkout, linted]) rmSync(directory, { recursive: true });
});

type Planted = { file: string; text: string };

const plant = (directory: string, planted: readonly Planted[]): void => {
  for (const { file, text } of planted) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
};

const importing = (file: string, module: string): Planted => ({
  file,
  text: `import { planted } from "${module}";\nplanted();\n`,
});

/** The specifier with which a file imports a module of another folder. */
const named = (from: string, to: string): string => {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
};

const storeys = { shared, infra };

/** The folders of a root from the ground up, with the storey and the doors of each. */
const foldersOf = ({ ground, subjects, roof }: (typeof storeys)[keyof typeof storeys]) => [
  ...ground.map((folder) => ({ folder, storey: "ground", doors: [] as readonly string[] })),
  ...Object.entries(subjects).map(([folder, doors]) => ({ folder, storey: "subject", doors })),
  ...roof.map((folder) => ({ folder, storey: "roof", doors: [] as readonly string[] })),
];

/** A file for each pair of a root's folders: it lies in the first folder and imports from the second. */
const pairs = Object.entries(storeys).flatMap(([base, table]) =>
  foldersOf(table).flatMap((from, i) =>
    foldersOf(table).flatMap((to, j) => {
      if (i === j) return [];
      const file = join(base, from.folder, `to-${to.folder.replaceAll("/", "-")}.ts`);
      const isDoor = from.doors.includes(to.folder);
      const isSideways = from.storey === "subject" && to.storey === "subject";
      const planted = importing(file, named(file, join(base, to.folder, "planted.ts")));
      return [{ planted, isDoor, isUp: i < j, isSideways }];
    }),
  ),
);
const plantedPairs = (isMeant: (pair: (typeof pairs)[number]) => boolean): Planted[] =>
  pairs.filter(isMeant).map(({ planted }) => planted);

const upward = plantedPairs(({ isUp }) => isUp);
const withoutDoor = plantedPairs(({ isSideways, isDoor }) => isSideways && !isDoor);
const throughDoors = plantedPairs(({ isDoor }) => isDoor);
const downward = plantedPairs(({ isUp, isSideways }) => !isUp && !isSideways);

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
  { file: "shared/plants/type.ts", text: 'export type Planted = import("@aws-sdk/client-dynamodb").Planted;\n' },
  importing("shared/plants/provider-sdk.ts", "stripe"),
  importing("shared/plants/provider-sdk-store.ts", "stripe"),
  importing("shared/plants/configuration.ts", "../runtime/config.ts"),
  importing("shared/plants/test.ts", "../../test/support/assembly.ts"),
  importing("shared/provider/stripe/store.ts", "@aws-sdk/client-dynamodb"),
  importing("shared/api/store.ts", "../plants/plant-store.ts"),
  importing("shared/http/function.ts", "../../functions/plants/create-plant.ts"),
  importing("shared/wiring/infrastructure.ts", "../../infra/build.ts"),
  importing("shared/unlisted/planted.ts", "../json/int64.ts"),
  importing("infra/function.ts", "../functions/plants/create-plant.ts"),
  importing("infra/subject.ts", "../shared/plants/plant.ts"),
  importing("infra/constructs/test.ts", "../../test/support/assembly.ts"),
  importing("test/shared/plants/unseeded.test.ts", "fast-check"),
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
  importing("test/support/fixed-seed.ts", "fast-check"),
];

describe("npm run check", () => {
  it("runs the check of imports", () => {
    expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.check).toContain(
      "node infra/import-rules.ts",
    );
  });

  let refused: Set<string>;
  beforeAll(() => {
    plant(checkout, [...pairs.map(({ planted }) => planted), ...otherwiseForbidden, ...needed]);
    spawnSync("git", ["init", "--quiet", checkout]);
    const check = join(root, "infra/import-rules.ts");
    const { status, stderr } = spawnSync(process.execPath, [check], { cwd: checkout, encoding: "utf8" });
    expect(status).toBe(1);
    refused = new Set(stderr.split("\n").map((line) => line.split(" imports ")[0] ?? ""));
  });

  it.each([
    ["import that points up", upward],
    ["import of another subject without a door", withoutDoor],
    ["other kind of forbidden import", otherwiseForbidden],
  ])("refuses every %s", (_, planted) => {
    expect(planted.length).toBeGreaterThan(0);
    expect(planted.filter(({ file }) => !refused.has(file))).toEqual([]);
  });

  it.each([
    ["import that points down", downward],
    ["import through a door", throughDoors],
    ["import that a kind of file needs", needed],
  ])("allows every %s", (_, planted) => {
    expect(planted.length).toBeGreaterThan(0);
    expect(planted.filter(({ file }) => refused.has(file))).toEqual([]);
  });
});

describe("the linter", () => {
  const spread = (name: string, text: string): Planted => ({
    file: `shared/plants/spread-${name}.ts`,
    text: `export const planted = ${text};\n`,
  });
  const forbidden: Planted[] = [
    { file: "shared/plants/one.ts", text: 'import { two } from "./two.ts";\nexport const one = () => two();\n' },
    { file: "shared/plants/two.ts", text: 'import { one } from "./one.ts";\nexport const two = () => one();\n' },
    { file: "shared/plants/type.ts", text: 'import { user } from "./user.ts";\nexport type Planted = typeof user;\n' },
    { file: "shared/plants/user.ts", text: 'import type { Planted } from "./type.ts";\nexport let user: Planted;\n' },
    { file: "shared/plants/environment.ts", text: "export const planted = process.env.PLANTED;\n" },
    spread("object", "{ ...{ a: 1, b: 2 }, c: 3 }"),
    spread("array", "[...[1, 2], 3]"),
    spread("constant", "[...([1, 2] as const), 3]"),
    spread("parentheses", "{ ...({ a: 1 }), c: 3 }"),
  ];
  const allowed: Planted[] = [
    spread("condition", "{ ...(Date.now() > 0 && { a: 1 }), c: 3 }"),
    spread("value", "[...(Date.now() > 0 ? [1] : []), 3]"),
  ];

  it("refuses circles of files, the environment and spreads of literals", () => {
    plant(linted, [...forbidden, ...allowed]);
    mkdirSync(join(linted, "infra"));
    for (const file of ["biome.json", "infra/no-literal-spread.grit"])
      copyFileSync(join(root, file), join(linted, file));
    const { stdout } = spawnSync(
      join(root, "node_modules/.bin/biome"),
      ["lint", "--reporter=json", "--max-diagnostics=none", "."],
      { cwd: linted, encoding: "utf8" },
    );
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { category: string; location: { path: string | { file: string } } }[];
    };
    const rules = ["style/noProcessEnv", "suspicious/noImportCycles", "plugin"];
    const refused = diagnostics
      .filter(({ category }) => rules.some((rule) => category.endsWith(rule)))
      .map(({ location: { path } }) => (typeof path === "string" ? path : path.file));
    expect([...new Set(refused)].sort()).toEqual(forbidden.map(({ file }) => file).sort());
  });
});

describe("the storeys", () => {
  const modules = listModules().map((file) => dirname(file));

  it.each(Object.entries(storeys))("name only folders of %s/ that have modules", (base, table) => {
    const missing = foldersOf(table).filter(({ folder }) => !modules.includes(join(base, folder)));
    expect(missing.map(({ folder }) => `infra/import-rules.ts: remove ${folder} of ${base}`)).toEqual([]);
  });

  it.each(Object.entries(storeys))("have doors of %s/ that lead to earlier subjects only", (_, { subjects }) => {
    const names = Object.keys(subjects);
    for (const [i, doors] of Object.values(subjects).entries()) {
      expect(names.slice(0, i)).toEqual(expect.arrayContaining([...doors]));
    }
  });

  it("match the table of docs/architecture.md, which has every folder of shared/", () => {
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    const section = page.split("### Storeys of `shared/`")[1]?.split("\n#")[0] ?? "";
    const rows = [...section.matchAll(/^\| `([^`]+)\/` \|.*\| (.*?) ?\| (?:`([^`]+)`|[^`]*) \|$/gm)];
    const documented = rows.map(([, folder = "", doors = ""]) => ({ folder, doors }));
    const folders = new Set(modules.flatMap((folder) => (folder.startsWith("shared/") ? [folder.slice(7)] : [])));
    expect(documented.map(({ folder }) => folder).sort()).toEqual([...folders].sort());

    const listed = foldersOf(shared)
      .toReversed()
      .map(({ folder, storey, doors }) => ({ folder, doors: storey === "subject" ? doors.join(", ") : "" }));
    expect(documented.filter(({ folder }) => !folder.includes("/"))).toEqual(listed);

    const missing = rows.filter(([, folder = "", , file]) => file && !existsSync(join(root, "shared", folder, file)));
    expect(missing.map(([row]) => row)).toEqual([]);
  });
});
