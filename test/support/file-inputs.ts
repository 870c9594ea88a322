/**
 * Finds the inputs of a file for `npm test -- --onlyChanged`, `--changedSince` and `--watch`: jest knows imports, this module
 * adds files that are read, run or bundled. Too many inputs only run a suite too often.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** What a file joins to its own folder, such as `join(import.meta.dirname, "..", "docs", "api.md")`. */
const JOINED = /join\(import\.meta\.dirname((?:,\s*"[^"]*")+),?\s*\)/g;

/** The sources of the deployed service. A file that builds or runs its assembly depends on all of them. */
const service = (): string[] => globSync(["functions/**/*.{ts,tsx,css}", "infra/app.ts"], { cwd: root });
const ofTheService = ["infra/build.ts", "infra/prepare-assembly.ts", "test/support/assembly.ts"];

/** A test that knows the whole checkout may read each page. */
const checkout = (): string[] => [...service(), ...globSync(["*.md", "docs/*.md"], { cwd: root })];

const ofEveryTest = ["package-lock.json", "jest.config.js"];

/** The files at or below a path that a file names. */
const filesAt = (path: string): string[] => {
  if (path.startsWith("..") || /^(?:\.build|\.cache|\.local|node_modules)(?:\/|$)/.test(path)) return [];
  return /\.\w+$/.test(path) ? [path] : globSync(`${path}/**/*.{ts,tsx,mjs,css,json,md}`, { cwd: root });
};

/** Jest keeps what `extract` found until this text changes. */
export const getCacheKey = (): string => readFileSync(import.meta.filename, "utf8") + checkout().join();

/** Called by jest for each file of the checkout. @returns specifiers of modules that the file depends on */
export const extract = (
  code: string,
  file: string,
  defaultExtract: (code: string, file: string) => Set<string>,
): Set<string> => {
  if (/\.(?:md|css|json)$/.test(file)) return new Set();
  const folder = dirname(file);
  const isTest = file.endsWith(".test.ts");
  const inputs = isTest ? [...ofEveryTest] : [];
  if (ofTheService.includes(relative(root, file).replaceAll(sep, "/"))) inputs.push(...service());
  for (const [, names = ""] of code.matchAll(JOINED)) {
    const parts = [...names.matchAll(/"([^"]*)"/g)].map(([, part = ""]) => part);
    const path = relative(root, join(folder, ...parts));
    if (path !== "") inputs.push(...filesAt(path));
    else if (isTest) inputs.push(...checkout());
  }
  const specifiers = inputs.map((input) => {
    const path = relative(folder, join(root, input)).replaceAll(sep, "/");
    return path.startsWith(".") ? path : `./${path}`;
  });
  return new Set([...defaultExtract(code, file), ...specifiers]);
};
