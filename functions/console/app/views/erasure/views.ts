/** The views of erasures. One file for all of them is loaded: they share most of their code. */
export { View as List } from "./erasure.tsx";
export { View as Proof } from "./erasure-proof.tsx";
