import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** The directory of a function's bundle; its handler is `index.handler`. */
export const bundleDirectory = (functionName: string): string => join(root, ".build", "functions", functionName);

/** The types of the API's client, and the sentences of the event types: write-api-types.ts writes both. */
export const apiTypesPath = join(root, ".build", "console", "openapi.d.ts");
export const eventTypesPath = join(root, ".build", "console", "event-types.ts");
