/**
 * Writes what the console imports of the OpenAPI document (functions/console/app) to .build/console/: the types of the API's
 * client, openapi.d.ts, and the sentence of each event type, event-types.ts. A script of its own, because its import hook must not affect other code of the process. Run
 * by the build before it bundles the console, and by `npm run check` before the type checker. Writes nothing if the files are
 * of the same document.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname } from "node:path";
import { createOpenApiDocument } from "../../shared/api/open-api-document.ts";
import { routes } from "../../shared/api/routes.ts";
import { apiTypesPath, eventTypesPath } from "./bundle-directory.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../node_modules/openapi-typescript/package.json", import.meta.url), "utf8"),
);

/** The types only need to know that a limit is a number. */
const document = JSON.stringify(createOpenApiDocument(routes), (_key, value: unknown) =>
  typeof value === "bigint" ? Number(value) : value,
);

/** A module with each event type and its sentence. */
const eventTypesModule = (): string => {
  const { enum: types, "x-enum-descriptions": sentences } = JSON.parse(document).components.schemas.EventType;
  const entries = types.map((type: string, index: number) => [type, sentences[index]]);
  return `export const eventTypes = ${JSON.stringify(Object.fromEntries(entries))} as const;\n`;
};

/** Another process may be reading the file. */
const replaceFile = (path: string, text: string): void => {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
};

/** The first line of the file. */
const origin = `// ${createHash("sha256")
  .update(`${version} ${readFileSync(import.meta.filename)} ${document}`)
  .digest("hex")}\n`;

if (!existsSync(apiTypesPath) || !readFileSync(apiTypesPath, "utf8").startsWith(origin)) {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "typescript"
        ? { url: new URL("./shims/typescript.ts", import.meta.url).href, shortCircuit: true }
        : next(specifier, context),
  });
  const { default: openapiTypes, astToString } = await import("openapi-typescript");
  const types = await openapiTypes(document, {
    alphabetize: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  mkdirSync(dirname(apiTypesPath), { recursive: true });
  replaceFile(eventTypesPath, eventTypesModule());
  // Last, because its first line says that both files are complete.
  replaceFile(apiTypesPath, `${origin}${astToString(types)}`);
}
