/** The console's client at the development issuer. */
export const CONSOLE_CLIENT_ID = "console";
