/**
 * Ends a connection: at a user's request (DELETE …/connection), or because the account withdrew its permission. The
 * credentials are removed and runs end. A repeated call completes what an earlier call left undone.
 */
import type { OperationContext } from "../provider/provider.ts";
import type { Clock } from "../runtime/clock.ts";
import { requesterFields } from "../terms/requester.ts";
import type { ConnectionChangeStore } from "./connection-change-store.ts";
import type { RecordConnectionChange } from "./connection-events.ts";

export type DisconnectDependencies = {
  changes: Pick<ConnectionChangeStore, "disconnect">;
  recordChange: RecordConnectionChange;
  cancelRuns(organizationId: string): Promise<void>;
  now: Clock;
};

/** `connectionId`: end only this connection, and no later one. `requestId`, `reason`: for the event. */
type DisconnectOptions = { connectionId?: string; requestId?: string; reason?: "deauthorized" };

/** @throws DomainError `store_unavailable`: repeat the call. */
export type Disconnect = (context: OperationContext, options?: DisconnectOptions) => Promise<void>;

export const createDisconnect =
  ({ changes, recordChange, cancelRuns, now }: DisconnectDependencies): Disconnect =>
  async (context, { connectionId, ...cause } = {}) => {
    const { organizationId, source } = context;
    const by = { source, ...requesterFields(context), ...cause, at: now() };
    const { outcome, unrecorded } = await changes.disconnect(organizationId, by, connectionId);
    for (const change of unrecorded) await recordChange(organizationId, change);
    if (outcome !== "another") await cancelRuns(organizationId);
  };
