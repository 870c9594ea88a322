/** The views of the integration's work, which are loaded as one file. */
export { View as CircuitBreaker } from "./circuit-breaker/circuit-breaker.tsx";
export { View as Connection } from "./connection/connection.tsx";
export { Customer as RecordsCustomer, List as RecordsList, One as RecordsOne } from "./records/views.ts";
export { View as Syncs } from "./syncs/syncs.tsx";
export { View as Webhooks } from "./webhooks/webhooks.tsx";
