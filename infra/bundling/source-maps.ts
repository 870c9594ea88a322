import { createHash } from "node:crypto";
import { join } from "node:path";

/** The source maps of the local cloud's bundles. They are not part of a function's folder, so they are never uploaded. */
export const sourceMapsDirectory = join(import.meta.dirname, "..", "..", ".build", "maps");

/** The file with the source map of a bundle, which is found by the bundle's contents, wherever the bundle is. */
export const sourceMapPath = (bundle: Uint8Array): string =>
  join(sourceMapsDirectory, `${createHash("sha256").update(bundle).digest("hex")}.json`);
