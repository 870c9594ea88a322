/**
 * Which folders may import which. The floors are the only definition: `npm run fix` generates the linter's rules from
 * them into import-rules.json, and a test compares that file and docs/architecture.md with this table.
 */
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The folders below each root, top to bottom. A file imports from its own folder and from lower ones. */
export const floors = {
  shared: [
    "wiring",
    "api",
    "webhooks",
    "erasure",
    "exports",
    "notifications",
    "notifications/sending",
    "notifications/messages",
    "http",
    "reports/html",
    "reports",
    "detection",
    "detection/rules",
    "detection/evidence",
    "sync",
    "connection",
    "provider/stripe",
    "provider",
    "settings",
    "records",
    "circuit-breaker",
    "security/monitoring",
    "security/alerts",
    "security/statistics",
    "security/feed",
    "security/ocsf",
    "security",
    "security/redaction",
    "plants",
    "work",
    "runtime",
    "terms",
    "json",
  ],
  // The empty name is infra/ itself: its files synthesise the stack, and local/ runs the result.
  infra: [
    "smoke",
    "audit",
    "local",
    "local/reload",
    "local/provider",
    "local/provider/wire",
    "local/provider/wire/writes",
    "local/provider/wire/requests",
    "local/provider/faults",
    "local/provider/changes",
    "local/provider/webhooks",
    "local/provider/seed",
    "local/provider/operations",
    "local/provider/store",
    "local/provider/render",
    "local/provider/objects",
    "local/terminal",
    "local/ask",
    "local/front-ends",
    "local/gateway",
    "local/stack",
    "local/template",
    "local/schedules",
    "local/events",
    "local/queues",
    "local/buckets",
    "local/mail",
    "local/lambda",
    "local/iam",
    "local/issuer",
    "local/data-directory",
    "local/dynamodb",
    "local/http",
    "local/core",
    "",
    "constructs/monitoring",
    "constructs",
    "constructs/access",
    "constructs/resources",
    "bundling",
    "bundling/shims",
  ],
} as const;

type Pattern = { readonly group: readonly string[]; readonly message: string };

const SDKS = ["@aws-sdk/**", "@smithy/**"];
const PROVIDER_SDK = ["stripe", "stripe/**"];
/** The folder of the provider's adapter, which may use the SDK. */
const ADAPTER = "provider/stripe";

const noTests: Pattern = { group: ["**/test/**"], message: "Product code must not import tests." };
const noInfrastructure: Pattern = {
  group: ["**/infra/**", "aws-cdk-lib", "aws-cdk-lib/**", "constructs", "cdk-nag"],
  message: "Only infra/ may import the infrastructure.",
};
const noFunctions: Pattern = {
  group: ["**/functions/**"],
  message: "A function must not be imported; its work belongs in shared/.",
};
const noSdks: Pattern = {
  group: [...SDKS, ...PROVIDER_SDK],
  message: "Only stores (*-store.ts), shared/runtime/ and the provider's adapter may import an SDK.",
};
const noStoreSdks: Pattern = { group: SDKS, message: "The provider's adapter must not use a store." };
const noConfiguration: Pattern = {
  group: ["**/runtime/config.ts"],
  message: "Only functions/, shared/wiring/ and shared/runtime/ may read configuration; take the value as an argument.",
};
const noStores: Pattern = { group: ["**/*-store.ts"], message: "The route table is pure: it must not import stores." };
const onlyContract: Pattern = {
  group: ["**/shared/**", "!**/shared/api/**", "!**/shared/terms/**"],
  message: "infra/ may import only shared/api/ and shared/terms/.",
};
const onlyShared: Pattern = {
  group: ["**/functions/**", "../*/*", "./*", "!../../shared/**"],
  message: "A function may import only shared/.",
};

const seededProperties: Pattern = {
  group: ["fast-check"],
  message: "Import fc from test/support/fixed-seed.ts, so that every run tries the same inputs.",
};

/** The glob that matches imports from `from` of files in a folder, but not in its subfolders. */
const importsOf = (folder: string, from: string): string[] => {
  const path = relative(from, folder);
  // An import of a parent folder contains only dots. Any other import contains the folder's name after any dots.
  return /^[./]+$/.test(path) ? [`${path}/*.ts`] : [`**/${folder.split("/").at(-1)}/*.ts`];
};

const upward = (folders: readonly string[], folder: string): Pattern[] => {
  const above = folders.slice(0, folders.indexOf(folder));
  if (above.length === 0) return [];
  const message = `${folder === "" ? "infra" : folder}/ must not import a higher floor (infra/import-rules.ts).`;
  return [{ group: above.flatMap((higher) => importsOf(higher, folder)), message }];
};

const override = (includes: readonly string[], patterns: readonly Pattern[]) => ({
  includes,
  linter: { rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } } },
});

/** The console runs in a browser and uses the public API only, as any other client does. */
const CONSOLE = "functions/console/app";
const CONSOLE_PACKAGES = ["preact", "@preact/signals", "preact-iso", "openapi-fetch", "oauth4webapi"];
/** What the build writes from the OpenAPI document (bundling/write-api-types.ts). */
const GENERATED = ".build/console/*";
/** How many folders deep a file of the console may lie. */
const CONSOLE_DEPTHS = [0, 1, 2];

/** The rules of the console's files that lie as many folders deep. */
const consoleRules = (depth: number) => {
  const outside = "../".repeat(depth + 1);
  const group = [
    "**",
    ...CONSOLE_PACKAGES.flatMap((name) => [`!${name}`, `!${name}/**`]),
    ...["!./**", "!../**", `${outside}**`, `!${outside}../../${GENERATED}`],
  ];
  const message =
    "The console may import only its own files, its packages and what is generated from the API's document.";
  return override([`${CONSOLE}/${"*/".repeat(depth)}*`], [{ group, message }]);
};

const sharedPatterns = (folder: string, isStore: boolean): Pattern[] => [
  noTests,
  noInfrastructure,
  noFunctions,
  ...upward(floors.shared, folder),
  ...(folder === "runtime" || isStore ? [] : [folder === ADAPTER ? noStoreSdks : noSdks]),
  ...(["wiring", "runtime"].includes(folder) ? [] : [noConfiguration]),
  ...(folder === "api" ? [noStores] : []),
];

/** The linter's configuration that biome.json extends. */
export const importRules = () => ({
  overrides: [
    override(["functions/**"], [noTests, noInfrastructure, onlyShared, noSdks]),
    ...CONSOLE_DEPTHS.map(consoleRules),
    ...floors.shared.flatMap((folder) => [
      override([`shared/${folder}/*.ts`], sharedPatterns(folder, false)),
      override([`shared/${folder}/*-store.ts`], sharedPatterns(folder, true)),
    ]),
    override(["test/**", "!test/support/fixed-seed.ts"], [seededProperties]),
    override(["infra/**"], [noTests, noFunctions, onlyContract]),
    ...floors.infra.map((folder) =>
      override([join("infra", folder, "*.ts")], [noTests, noFunctions, onlyContract, ...upward(floors.infra, folder)]),
    ),
  ],
});

export const importRulesPath = join(import.meta.dirname, "import-rules.json");

/** The file's text: one override per line, so that a diff of the table is readable. */
export const renderImportRules = (): string =>
  `{ "overrides": [\n${importRules()
    .overrides.map((rule) => JSON.stringify(rule))
    .join(",\n")}\n] }\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(importRulesPath, renderImportRules());
