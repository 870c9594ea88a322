/** The views of exports. One file for all of them is loaded: they share most of their code. */
export { View as One } from "./export.tsx";
export { View as List } from "./exports.tsx";
