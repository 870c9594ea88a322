/** The URL of a queue, as the SDK addresses it: `{gateway}/{account}/{name}`. */
export const queueUrl = (gatewayUrl: string, accountId: string, name: string): string =>
  `${gatewayUrl}/${accountId}/${name}`;
