/** The development issuer's only client: a public client, the console of the API. */
export const CONSOLE_CLIENT_ID = "console";
