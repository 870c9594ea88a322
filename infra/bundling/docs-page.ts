/** The page `/docs` (docs/api.md): Swagger UI from npm and the files of infra/docs-page/. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type FunctionFolder, pageFolders } from "./page.ts";

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

let made: ReadonlyMap<string, FunctionFolder> | undefined;

/** The files of the page's functions, by function name. Made once in a process: compressing takes 0.1 s. */
export const docsPage = (): ReadonlyMap<string, FunctionFolder> => {
  if (made !== undefined) return made;
  const assets = new Map<string, Buffer>();
  let html = readFileSync(join(pageDirectory, "index.html"), "utf8");
  for (const path of ASSETS) {
    const contents = readFileSync(path);
    const name = hashedName(path, contents);
    assets.set(name, contents);
    const placeholder = `{{${basename(path)}}}`;
    if (!html.includes(placeholder)) throw new Error(`infra/docs-page/index.html does not load ${basename(path)}.`);
    html = html.replace(placeholder, `docs/${name}`);
  }
  const licences = readFileSync(join(swaggerDirectory, "LICENSE"), "utf8");
  made = pageFolders("docs", { html, assets, licences }, { withBrotli: false });
  return made;
};
