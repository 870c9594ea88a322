import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** The directory of a function's bundle; its handler is `index.handler`. */
export const bundleDirectory = (functionName: string): string => join(root, ".build", "functions", functionName);

/** The types of the API's client: write-api-types.ts writes them. */
export const apiTypesPath = join(root, ".build", "console", "openapi.d.ts");
