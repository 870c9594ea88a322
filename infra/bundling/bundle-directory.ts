import { createHash } from "node:crypto";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** The directory of a function's bundle; its handler is `index.handler`. */
export const bundleDirectory = (functionName: string): string => join(root, ".build", "functions", functionName);

/** Where Lambda unpacks a function's folder. */
export const TASK_ROOT = "/var/task";

/** A program in each function's folder that starts Node with other flags; it runs only if the deployment says so. */
export const START_RUNTIME = "start-runtime.sh";

/** The types of the API's client, and the sentences of the event types: write-api-types.ts writes both. */
export const apiTypesPath = join(root, ".build", "console", "openapi.d.ts");
export const eventTypesPath = join(root, ".build", "console", "event-types.ts");

/** The source maps of the local cloud's bundles. They are not part of a function's folder, so they are never uploaded. */
export const sourceMapsDirectory = join(root, ".build", "maps");

/** The file with the source map of a bundle, which is found by the bundle's contents, wherever the bundle is. */
export const sourceMapPath = (bundle: Uint8Array): string =>
  join(sourceMapsDirectory, `${createHash("sha256").update(bundle).digest("hex")}.json`);
