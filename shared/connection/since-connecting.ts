/**
 * Whether an event of the provider's is no older than the connection. The provider tells the second only: what happened in
 * the one in which the connection was made may be after it.
 * @param connectedAt epoch ms.
 */
export const isSinceConnecting = (connectedAt: number, { createdSeconds }: { createdSeconds: number }): boolean =>
  createdSeconds >= Math.floor(connectedAt / 1_000);
