/**
 * Writes the types of the API's client, which the console imports (functions/console/app): from the OpenAPI document to
 * .build/console/openapi.d.ts. A script of its own, because its import hook must not affect other code of the process. Run
 * by the build, and by `npm run check` before the type checker. Writes nothing if the file is of the same document.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname } from "node:path";
import { createOpenApiDocument } from "../../shared/api/open-api-document.ts";
import { routes } from "../../shared/api/routes.ts";
import { apiTypesPath } from "./bundle-directory.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../node_modules/openapi-typescript/package.json", import.meta.url), "utf8"),
);

/** The types only need to know that a limit is a number. */
const document = JSON.stringify(createOpenApiDocument(routes), (_key, value: unknown) =>
  typeof value === "bigint" ? Number(value) : value,
);

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
  // Another process may be reading the file.
  const unfinished = `${apiTypesPath}.${process.pid}`;
  writeFileSync(unfinished, `${origin}${astToString(types)}`);
  renameSync(unfinished, apiTypesPath);
}
