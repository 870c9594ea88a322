/**
 * Which file may import which: the storeys of shared/ and infra/, the doors between subjects, and the packages.
 * `npm run check` runs this file over the repository; a test compares docs/architecture.md with `shared`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/**
 * The folders below a root in three storeys. A folder contains its subfolders that are not listed. A file imports from its
 * own folder and from lower storeys. On the ground and the roof, a folder also imports from the folders before it.
 */
type Storeys = {
  readonly ground: readonly string[];
  /** Each with its doors: the other subjects that it may import. A door leads to an earlier subject, so there is no circle. */
  readonly subjects: Readonly<Record<string, readonly string[]>>;
  readonly roof: readonly string[];
};

export const shared = {
  ground: ["json", "terms", "runtime", "work"],
  subjects: {
    plants: [],
    evidence: [],
    security: ["evidence"],
    sealing: ["security", "evidence"],
    archive: ["security", "evidence", "sealing"],
    mutes: ["security"],
    "circuit-breaker": ["security"],
    records: ["security"],
    settings: ["security", "records"],
    provider: ["security", "circuit-breaker", "records"],
    money: ["provider"],
    connection: ["security", "circuit-breaker", "provider"],
    sync: ["security", "circuit-breaker", "records", "provider", "connection"],
    detection: ["security", "circuit-breaker", "provider", "money", "connection", "sync"],
    completeness: ["security", "sealing", "archive", "detection"],
    reports: ["security", "mutes", "circuit-breaker", "records", "connection", "sync", "detection"],
    notifications: ["security", "mutes", "reports"],
    exports: [
      "evidence",
      "security",
      "sealing",
      "archive",
      "mutes",
      "records",
      "settings",
      "detection",
      "reports",
      "notifications",
    ],
    previews: ["security", "money", "mutes", "connection", "detection", "notifications"],
    drills: ["security", "detection", "notifications"],
    webhooks: ["security", "records", "provider", "connection"],
    search: ["security", "records", "settings", "sync", "notifications", "webhooks"],
    erasure: [
      "security",
      "sealing",
      "archive",
      "circuit-breaker",
      "records",
      "settings",
      "connection",
      "sync",
      "detection",
      "reports",
      "mutes",
      "notifications",
      "exports",
      "previews",
      "drills",
      "webhooks",
    ],
  },
  roof: ["http", "api", "wiring"],
} as const satisfies Storeys;

/** The local cloud's services are the subjects of infra/. The empty name is infra/ itself, which synthesises the stack. */
export const infra = {
  ground: [
    "aws",
    "bundling",
    "constructs/resources",
    "constructs/access",
    "constructs",
    "constructs/monitoring",
    "",
    "local/core",
    "local/http",
    "local/commands",
  ],
  subjects: {
    "local/template": [],
    "local/iam": [],
    "local/lambda": [],
    "local/dynamodb": [],
    "local/buckets": [],
    "local/mail": [],
    "local/issuer": [],
    "local/terminal": [],
    "local/provider": [],
    "local/data-directory": ["local/dynamodb"],
    "local/reload": ["local/lambda"],
    "local/front-ends": ["local/iam", "local/lambda"],
    "local/queues": ["local/iam", "local/lambda"],
    "local/events": ["local/iam", "local/lambda", "local/queues"],
    "local/schedules": ["local/events"],
    "local/stack": ["local/template", "local/events", "local/schedules"],
    "local/gateway": ["local/iam", "local/dynamodb", "local/buckets", "local/mail", "local/queues", "local/events"],
  },
  roof: ["local/control", "local/cloud", "local/start", "smoke", "audit", "preflight", "recovery"],
} as const satisfies Storeys;

/** The listed folder that contains a file; undefined if there is none. @param file relative to the root of the storeys. */
const folderOf = ({ ground, subjects, roof }: Storeys, file: string): string | undefined => {
  const listed = [...ground, ...Object.keys(subjects), ...roof];
  for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) if (listed.includes(folder)) return folder;
  return dirname(file) === "." && listed.includes("") ? "" : undefined;
};

/** The height of a folder. All subjects have the same. */
const heightOf = ({ ground, roof }: Storeys, folder: string): number => {
  const [onGround, onRoof] = [ground.indexOf(folder), roof.indexOf(folder)];
  if (onGround >= 0) return onGround;
  return ground.length + (onRoof < 0 ? 0 : 1 + onRoof);
};

export const mayImport = (storeys: Storeys, from: string, to: string): boolean =>
  from === to || heightOf(storeys, to) < heightOf(storeys, from) || (storeys.subjects[from]?.includes(to) ?? false);

/** The sentence about an import that the storeys forbid. */
const refusalByStoreys = (root: string, storeys: Storeys, file: string, target: string): string | undefined => {
  const [from, to] = [file, target].map((path) => folderOf(storeys, path.slice(root.length)));
  if (from === undefined) return `Add the folder to the storeys of ${root} in infra/import-rules.ts.`;
  if (to === undefined || mayImport(storeys, from, to)) return undefined;
  const [importer, imported] = [from, to].map((folder) => root + folder);
  return from in storeys.subjects && to in storeys.subjects
    ? `${importer} has no door to ${imported} (infra/import-rules.ts).`
    : `${importer} must not import ${imported}, which is on a higher storey (infra/import-rules.ts).`;
};

const CONSOLE = "functions/console/app/";
/** The provider's adapter. Only this folder may use the provider's SDK. */
const ADAPTER = "shared/provider/stripe/";
const PROVIDER_SDK = /^stripe(\/|$)/;
const AWS_SDK = /^@(aws-sdk|smithy)\//;
const INFRASTRUCTURE = /^(infra\/|(aws-cdk-lib|constructs|cdk-nag)(\/|$))/;
const CONSOLE_MODULES = new RegExp(
  `^(${CONSOLE}|\\.build/console/|(preact|@preact/signals|preact-iso|openapi-fetch|oauth4webapi)(/|$))`,
);

/** Files, what they must not import (a path from the root, or a package), and why. */
const rules: readonly { files: RegExp; refuses: (target: string, file: string) => boolean; message: string }[] = [
  {
    files: /^(functions|shared|infra)\//,
    refuses: (target) => target.startsWith("test/"),
    message: "Product code must not import tests.",
  },
  {
    files: /^(functions|shared)\//,
    refuses: (target) => INFRASTRUCTURE.test(target),
    message: "Only infra/ may import the infrastructure.",
  },
  {
    files: /^(shared|infra)\//,
    refuses: (target) => target.startsWith("functions/"),
    message: "A function must not be imported; its work belongs in shared/.",
  },
  {
    files: /^functions\/(?!console\/app\/)/,
    refuses: (target) => target.startsWith("functions/"),
    message: "A function may import only shared/.",
  },
  {
    files: /^functions\/console\/app\//,
    refuses: (target) => !CONSOLE_MODULES.test(target),
    message: "The console may import only its own files, its packages and what is generated from the API's document.",
  },
  {
    files: /^(functions|shared)\//,
    refuses: (target, file) => AWS_SDK.test(target) && !/^shared\/(runtime\/|.*-store\.ts$)/.test(file),
    message: "Only stores (*-store.ts) and shared/runtime/ may import an AWS SDK.",
  },
  {
    files: /^(functions|shared)\//,
    refuses: (target, file) => PROVIDER_SDK.test(target) && !file.startsWith(ADAPTER),
    message: "Only the provider's adapter may import the provider's SDK.",
  },
  {
    files: /^shared\/(?!wiring\/|runtime\/)/,
    refuses: (target) => target === "shared/runtime/config.ts",
    message:
      "Only functions/, shared/wiring/ and shared/runtime/ may read configuration; take the value as an argument.",
  },
  {
    files: /^shared\/api\//,
    refuses: (target) => target.endsWith("-store.ts"),
    message: "The route table is pure: it must not import stores.",
  },
  {
    // A restored table needs the erasures repeated, by their own code.
    files: /^infra\//,
    refuses: (target, file) =>
      target.startsWith("shared/") &&
      !/^shared\/(api|terms)\//.test(target) &&
      !(file.startsWith("infra/recovery/") && /^shared\/(erasure|runtime)\//.test(target)),
    message:
      "infra/ may import only shared/api/ and shared/terms/; infra/recovery/ also shared/erasure/ and shared/runtime/.",
  },
  {
    files: /^test\/(?!support\/fixed-seed\.ts$)/,
    refuses: (target) => target === "fast-check",
    message: "Import fc from test/support/fixed-seed.ts, so that every run tries the same inputs.",
  },
];

/** The sentences about what a file must not import. @param target a path from the root, or a package's module. */
const refusalsOf = (file: string, target: string): string[] => {
  const byRules = rules
    .filter(({ files, refuses }) => files.test(file) && refuses(target, file))
    .map(({ message }) => message);
  const roots = [["shared/", shared] as const, ["infra/", infra] as const];
  const byStoreys = roots.flatMap(([root, storeys]) =>
    file.startsWith(root) && target.startsWith(root) ? (refusalByStoreys(root, storeys, file, target) ?? []) : [],
  );
  return [...byRules, ...byStoreys];
};

/** The modules that a file imports or exports again; types and dynamic imports count. */
const importsOf = (file: string, text: string): string[] => {
  const { staticImports, staticExports } = parseSync(file, text).module;
  const exported = staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest?.value ?? []));
  const dynamic = [...text.matchAll(/\bimport\(\s*"([^"]+)"/g)].map(([, module = ""]) => module);
  const modules = [...staticImports.map(({ moduleRequest }) => moduleRequest.value), ...exported, ...dynamic];
  return [...new Set(modules)].map((module) => (module.startsWith(".") ? join(dirname(file), module) : module));
};

/** A line for each import that is forbidden. @param file relative to the repository's root. */
export const forbiddenImports = (file: string, text: string): string[] =>
  importsOf(file, text).flatMap((target) =>
    refusalsOf(file, target).map((sentence) => `${file} imports ${target}: ${sentence}`),
  );

/** All modules of the repository, new ones that are not committed included. */
export const listModules = (): string[] => {
  const modules = ["functions", "shared", "infra", "test"].flatMap((root) => [`${root}/*.ts`, `${root}/*.tsx`]);
  const options = ["--cached", "--others", "--exclude-standard", "--deduplicate"];
  const { stdout } = spawnSync("git", ["ls-files", ...options, ...modules], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return stdout.split("\n").filter((file) => file !== "" && existsSync(file));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const forbidden = listModules().flatMap((file) => forbiddenImports(file, readFileSync(file, "utf8")));
  for (const line of forbidden) console.error(line);
  process.exitCode = forbidden.length > 0 ? 1 : 0;
}
