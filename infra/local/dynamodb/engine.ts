/** A DynamoDB that answers: the embedded engine, or one that the user runs. `endpoint` has no trailing slash. */
export type DynamoDb = { endpoint: string; stop(): Promise<void> };

/**
 * Starts the embedded engine on a free port of loopback, or takes the given endpoint.
 * The data directory is locked either way; without one, data is in memory and gone at the end.
 * @throws Error that says what to do: no engine for this platform, data directory in use, endpoint does not answer.
 */
export const startDynamoDb = (_options: { dataDirectory?: string; endpoint?: string }): Promise<DynamoDb> =>
  Promise.reject(new Error("being built"));
