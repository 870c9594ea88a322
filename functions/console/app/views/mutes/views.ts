/** The views of mutes. One file for all of them is loaded: they share most of their code. */
export { View as One } from "./mute.tsx";
export { View as List } from "./mutes.tsx";
export { View as New } from "./new-mute.tsx";
