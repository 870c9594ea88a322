/** The views of own rules. One file for all of them is loaded: they share most of their code. */
export { View as New } from "./new-own-rule.tsx";
export { View as One } from "./own-rule.tsx";
export { View as List } from "./own-rules.tsx";
