/** The small views of an organization, which are loaded as one file. */
export { List as ErasureList, Proof as ErasureProof } from "./erasure/views.ts";
export { List as ExportsList, One as ExportsOne } from "./exports/views.ts";
export { View as Integrity } from "./integrity/integrity.tsx";
export { View as Reports } from "./reports/reports.tsx";
export { View as Settings } from "./settings/settings.tsx";
