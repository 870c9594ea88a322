/** The views of destinations of notifications. One file for all of them is loaded: they share most of their code. */
export { View as New } from "./add.tsx";
export { View as One } from "./destination.tsx";
export { View as List } from "./notifications.tsx";
