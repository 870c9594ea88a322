/** Rules for the packages of the lock file: integrity, install scripts, licences. */

/** The fields of a package in package-lock.json (version 3) that the rules read. */
export type LockedPackage = {
  /** Subresource integrity of the archive. A bundled package has none: it is in the archive of its parent. */
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  /** An SPDX expression. */
  readonly license?: string;
};

/** Licences that permit use, change and distribution without conditions on our own code. */
const PERMISSIVE = new Set([
  "Unlicense",
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "PSF-2.0",
  "Python-2.0",
]);

/** Packages with another licence, and the reason why it is acceptable. */
const ACCEPTED_LICENCES: Readonly<Record<string, string>> = {
  "axe-core": "MPL-2.0: conditions on changes of its own files only; used unchanged, in tests",
  "caniuse-lite": "CC-BY-4.0: data for the development tools, not distributed with the functions",
};

const isPermissive = (expression: string): boolean =>
  expression
    .replace(/[()]/g, "")
    .split(/ OR /i)
    .some((alternative) => alternative.split(/ AND /i).every((licence) => PERMISSIVE.has(licence.trim())));

const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

const violationsOf = (path: string, locked: LockedPackage, scripts: Readonly<Record<string, boolean>>): string[] => {
  const name = nameOf(path);
  const { integrity, inBundle = false, hasInstallScript = false, license } = locked;
  return [
    ...(inBundle || integrity?.startsWith("sha512-") ? [] : [`${path}: has no SHA-512 integrity in package-lock.json`]),
    ...(hasInstallScript && scripts[name] !== false
      ? [`${path}: has an install script. Deny it in package.json, "allowScripts", if the package works without it`]
      : []),
    ...(license !== undefined && (isPermissive(license) || ACCEPTED_LICENCES[name] !== undefined)
      ? []
      : [`${path}: licence ${license ?? "unknown"} is not in the list of infra/audit/lock-violations.ts`]),
  ];
};

/**
 * One sentence per violation; empty if the lock file obeys all rules.
 * @param packages `packages` of package-lock.json.
 * @param scripts `allowScripts` of package.json. No install script may run, so each value must be false.
 */
export const lockViolations = (
  packages: Readonly<Record<string, LockedPackage>>,
  scripts: Readonly<Record<string, boolean>>,
): string[] =>
  Object.entries(packages).flatMap(([path, locked]) => (path === "" ? [] : violationsOf(path, locked, scripts)));
