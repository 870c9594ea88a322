import { basename, join } from "node:path";
import { allBackgroundFunctions } from "../../shared/api/background-functions.ts";
import { allPageRoutes } from "../../shared/api/page-routes.ts";
import { allRoutes } from "../../shared/api/routes.ts";
import { isPermission } from "../../shared/terms/permissions.ts";
import { functionFiles } from "../bundling/bundle-functions.ts";
import type { Access } from "./resources/access.ts";

/** A change of the service is not finished. The message says which file lacks what, one sentence per problem. */
export class IncompleteError extends Error {}

const root = join(import.meta.dirname, "..", "..");

/** The name of a route's function file, without folder and extension: `createPlant` is in `create-plant.ts`. */
export const toFileName = (routeName: string): string =>
  routeName.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Functions without a route or a trigger of the tables: other constructs add them. */
const OTHERS = new Map([
  ["answer-unknown-route", "unknown routes"],
  ["receive-webhook", "the webhook URL"],
]);

/** What each function file is for, by its name. */
const purposes = (): ReadonlyMap<string, string> =>
  new Map([
    ...[...allRoutes, ...allPageRoutes].map(
      ([name, { method, path }]) => [toFileName(name), `The route ${name} (${method} ${path})`] as const,
    ),
    ...allBackgroundFunctions.map(([name]) => [name, `The background function ${name}`] as const),
    ...OTHERS,
  ]);

/** Problems of function files, one sentence each; empty if each purpose has its file and each file its purpose. */
export const fileProblems = (wanted: ReadonlyMap<string, string>, files: ReadonlyMap<string, string>): string[] => {
  const missing = [...wanted].filter(([name]) => !files.has(name));
  const orphans = [...files].filter(([name]) => !wanted.has(name)).map(([, file]) => file);
  const [only, orphan] = [missing[0], orphans[0]];
  if (missing.length === 1 && orphans.length === 1 && only !== undefined && orphan !== undefined)
    return [`${only[1]} has no function: rename ${orphan} to ${only[0]}.ts, or add that file beside it.`];
  return [
    ...missing.map(
      ([name, purpose]) => `${purpose} has no function: add functions/<subject>/${name}.ts, which exports handler.`,
    ),
    ...orphans.map(
      (file) =>
        `${file} has no route and no trigger: add ${basename(file, ".ts")} to a table of shared/api/ (*-routes.ts, ` +
        "joined in routes.ts, or background-functions.ts), or delete the file.",
    ),
  ];
};

/** How a route without a token is marked in place of a permission. */
const WITHOUT_TOKEN = ["public", "link"];

/** Routes without a permission that exists, one sentence each. */
export const permissionProblems = (
  routes: readonly (readonly [name: string, route: { method: string; path: string; permission?: string }])[],
): string[] =>
  routes
    .filter(([, { permission = "" }]) => !isPermission(permission) && !WITHOUT_TOKEN.includes(permission))
    .map(
      ([name, { method, path, permission }]) =>
        `The route ${name} (${method} ${path}) has ${permission === undefined ? "no permission" : `the unknown permission ${permission}`}: ` +
        "in its table of shared/api/, give it one of shared/terms/permissions.ts.",
    );

/** Names of a table that have no rights, one sentence each. */
export const accessProblems = (names: readonly string[], access: Readonly<Record<string, unknown>>): string[] =>
  names
    .filter((name) => access[name] === undefined)
    .map((name) => `infra/constructs/grants.ts: add the rights of ${name}, or NO_ACCESS if it needs none.`);

const require = (problems: readonly string[]): void => {
  if (problems.length > 0) throw new IncompleteError(problems.join("\n"));
};

/**
 * @throws IncompleteError if a route has no permission, if a route or a background function has no file, or if a file of
 *   functions/ belongs to neither.
 */
export const requireComplete = (): void =>
  require([...permissionProblems(allRoutes), ...fileProblems(purposes(), functionFiles(root))]);

/**
 * The rights of each name. Types check the same, but `npm start` does not check types.
 * @throws IncompleteError if a name has no rights
 */
export const requireAccess = <Name extends string>(
  names: readonly Name[],
  access: Readonly<Record<string, Access>>,
): Readonly<Record<Name, Access>> => {
  require(accessProblems(names, access));
  return access as Readonly<Record<Name, Access>>;
};
