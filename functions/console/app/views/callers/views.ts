/** The views of users and addresses. One file for all of them is loaded: they share most of their code. */
export { View as Address } from "./address.tsx";
export { View as User } from "./user.tsx";
