/** How an account is connected. Apart from what clients see (connection.ts), so that workers bundle no schemas of answers. */
export const connectionMethods = ["api_key", "oauth"] as const;

/** Decisions: lifetime of an access token from its exchange. */
export const TOKEN_LIFE_MS = 3_600_000;
