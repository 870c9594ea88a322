/** docs/api.md has a row and an example of each route, and its examples are valid requests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { readArguments } from "../infra/local/commands/read-arguments.ts";
import { allRoutes } from "../shared/api/routes.ts";
import { createRequestParser } from "../shared/http/parse-request.ts";
import type { Route } from "../shared/http/route.ts";
import { httpEvent } from "./support/http-event.ts";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "api.md"), "utf8");

/** The arguments of a line for a shell, which uses quotation marks only around whole arguments. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);

/** The values of a path's parameters; undefined if the path is another one. */
const parametersOf = (path: string, template: string): Record<string, string> | undefined =>
  new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`).exec(path)?.groups ??
  (path === template ? {} : undefined);

const examples = [...page.matchAll(/^npm run --silent ask -- (.+)$/gm)].map(([line, words = ""]) => {
  const ask = readArguments(wordsOf(words));
  if (ask === undefined) throw new Error(`${line} asks for help.`);
  const [path = "", query = ""] = ask.path.split("?");
  const [name, route] =
    allRoutes.find(([, one]) => one.method === ask.method && parametersOf(path, one.path) !== undefined) ?? [];
  return { line, name, route, path, query, ask };
});

const isPaged = ({ paging }: Route) => (paging === undefined ? [] : ["limit", "cursor"]);
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

describe("docs/api.md", () => {
  it("has an example of each route, which docs/api.md must contain", () => {
    const missing = allRoutes.filter(([name]) => !examples.some((example) => example.name === name));
    expect(missing.map(([, route]) => nameOf(route))).toEqual([]);
  });

  it.each(examples)("has a valid request: $line", async ({ route, path, query, ask }) => {
    if (route === undefined) throw new Error(`No route has the path ${path} with the method ${ask.method}.`);
    const event = httpEvent({
      method: ask.method,
      rawPath: path,
      rawQueryString: query,
      headers: Object.fromEntries(ask.headers),
      pathParameters: parametersOf(path, route.path) ?? {},
      ...(ask.body !== undefined && { body: ask.body }),
    });
    await expect(createRequestParser(route, undefined)(event, undefined)).resolves.toBeDefined();
    expect(ask.headers.has("idempotency-key") && route.isIdempotent !== true).toBe(false);
  });

  it.each(allRoutes)("has the parameters of %s in a row", (_name, route) => {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${nameOf(route)}\` |`));
    const named = [...(row?.split("|")[2] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).toEqual([...Object.keys(route.request.query?.shape ?? {}), ...isPaged(route)]);
  });

  it.each(allRoutes)("has the fields of the body of %s in a row", (_name, { request: { body }, ...route }) => {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${route.method} ${route.path}\` |`)) ?? "";
    const shapes = body === undefined ? [] : "shape" in body ? [body] : body.def.options;
    for (const field of new Set(shapes.flatMap(({ shape }) => Object.keys(shape))))
      expect(row).toContain(`\`${field}\``);
  });
});
