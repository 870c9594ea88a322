/**
 * Ends a connection: on a user's behalf (DELETE …/connection), or because the account took its permission away. The
 * credentials are destroyed and runs end. Done again it changes nothing, but ends and tells what a first try left behind.
 */
import type { OperationContext } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ConnectionChangeStore } from "./connection-change-store.ts";
import type { TellChange } from "./tell-change.ts";

export type DisconnectParts = {
  changes: Pick<ConnectionChangeStore, "disconnect">;
  tell: TellChange;
  cancelRuns(organizationId: string): Promise<void>;
  now: Clock;
};

/** `connectionId`: only this one, and none made since. `requestId`, `reason`: for the event. */
export type DisconnectOptions = { connectionId?: string; requestId?: string; reason?: "deauthorized" };

/** @throws DomainError `store_unavailable`; then it is to be done again. */
export type Disconnect = (context: OperationContext, options?: DisconnectOptions) => Promise<void>;

export const createDisconnect =
  ({ changes, tell, cancelRuns, now }: DisconnectParts): Disconnect =>
  async ({ organizationId, source, userId, sessionId, ipAddress, userAgent }, { connectionId, ...said } = {}) => {
    const who = { source, userId, sessionId, ipAddress, userAgent };
    const by = { ...who, ...said, at: now() };
    const { outcome, untold } = await changes.disconnect(organizationId, by, connectionId);
    for (const change of untold) await tell(organizationId, change);
    if (outcome !== "another") await cancelRuns(organizationId);
  };
