/**
 * Ends a connection: on a user's behalf (DELETE …/connection), or because the account took its permission away. The
 * credentials are destroyed and runs end. Done again it changes nothing, but ends what a first try left running.
 */
import type { OperationContext } from "../provider/provider-access.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Recorder } from "../security/recorder.ts";
import type { ConnectionChangeStore } from "./connection-change-store.ts";
import { disconnectedEvent } from "./connection-events.ts";

export type DisconnectParts = {
  changes: Pick<ConnectionChangeStore, "disconnect">;
  cancelRuns(organizationId: string): Promise<void>;
  recorder: Pick<Recorder, "record">;
  now: Clock;
};

/** `connectionId`: only this one, and none made since. `requestId`, `reason`: for the event. */
export type DisconnectOptions = { connectionId?: string; requestId?: string; reason?: "deauthorized" };

/** @throws DomainError `store_unavailable`; then it is to be done again. */
export type Disconnect = (context: OperationContext, options?: DisconnectOptions) => Promise<void>;

export const createDisconnect =
  ({ changes, cancelRuns, recorder, now }: DisconnectParts): Disconnect =>
  async (context, { connectionId, ...said } = {}) => {
    const startedAt = now();
    const { organizationId } = context;
    const found = await changes.disconnect(organizationId, connectionId);
    if (found.outcome === "another") return;
    if (found.outcome === "removed") {
      const { accountId, method } = found.connection;
      const facts = { ...said, durationMs: now() - startedAt, method };
      await recorder.record(disconnectedEvent({ ...context, accountId }, facts));
    }
    await cancelRuns(organizationId);
  };
