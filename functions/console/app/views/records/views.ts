/** The views of records. One file for all of them is loaded: they share most of their code. */
export { View as Customer } from "./customer.tsx";
export { View as One } from "./record.tsx";
export { View as List } from "./records.tsx";
