/**
 * TypeScript's compiler API in the place of the package `typescript`, whose version 7 has none. openapi-typescript makes
 * and prints syntax trees with it (../write-api-types.ts).
 */
import common from "@ts-morph/common";

// biome-ignore lint/style/noDefaultExport: openapi-typescript imports the default export.
export default common.ts;
