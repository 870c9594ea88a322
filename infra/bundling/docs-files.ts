/**
 * The files of the page `/docs` (docs/api.md): Swagger UI from npm and the files of infra/docs-page/. An asset's name
 * contains a hash of its content, so browsers keep it for good. Assets are compressed here, once, and not by a function.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

const pageDirectory = join(import.meta.dirname, "..", "docs-page");
const swaggerDirectory = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const ASSETS = [
  join(swaggerDirectory, "swagger-ui-bundle.js"),
  join(swaggerDirectory, "swagger-ui.css"),
  join(pageDirectory, "start.js"),
  join(pageDirectory, "page.css"),
];

const HASH_CHARACTERS = 16;

/** `start.js` becomes `start.<hash>.js`. */
const hashedName = (path: string, contents: Buffer): string => {
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, HASH_CHARACTERS);
  return basename(path).replace(/(\.\w+)$/, `.${hash}$1`);
};

/** Must accompany Swagger UI's files. */
const LICENCE = join(swaggerDirectory, "LICENSE");

let made: ReadonlyMap<string, Uint8Array | string> | undefined;

/** The contents by their path below the folder of all functions. Made once in a process: compressing takes 0.1 s. */
export const docsFiles = (): ReadonlyMap<string, Uint8Array | string> => {
  if (made !== undefined) return made;
  const files = new Map<string, Uint8Array | string>();
  let page = readFileSync(join(pageDirectory, "index.html"), "utf8");
  for (const path of ASSETS) {
    const contents = readFileSync(path);
    const name = hashedName(path, contents);
    files.set(join("get-docs-asset", `${name}.gz`), gzipSync(contents, { level: 9 }));
    const placeholder = `{{${basename(path)}}}`;
    if (!page.includes(placeholder)) throw new Error(`infra/docs-page/index.html does not load ${basename(path)}.`);
    page = page.replace(placeholder, `docs/${name}`);
  }
  files.set(join("get-docs-asset", "LICENSE.txt"), readFileSync(LICENCE));
  files.set(join("get-docs", "index.html"), page);
  made = files;
  return made;
};
