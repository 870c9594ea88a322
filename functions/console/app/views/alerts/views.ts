/** The views of alerts. One file for all of them is loaded: they share most of their code. */
export { View as One } from "./alert.tsx";
export { View as List } from "./alerts.tsx";
export { View as Raise } from "./raise.tsx";
