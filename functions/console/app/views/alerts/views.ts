/** The views of alerts, and of the users and addresses that alerts lead to. One file for all of them is loaded: they share code. */
export { View as Address } from "../callers/address.tsx";
export { View as User } from "../callers/user.tsx";
export { View as One } from "./alert.tsx";
export { View as List } from "./alerts.tsx";
export { View as Raise } from "./raise.tsx";
