/**
 * What DELETE …/connection does: credentials are destroyed, and runs end. Done again it changes nothing, but ends what
 * a first try left running.
 */
import type { Clock } from "../runtime/clock.ts";
import type { Recorder } from "../security/recorder.ts";
import { type ActingUser, contextOfUser, disconnectedEvent } from "./connection-events.ts";
import type { ConnectionStore } from "./connection-store.ts";

type Parts = {
  connections: Pick<ConnectionStore, "disconnect">;
  cancelRuns(organizationId: string): Promise<void>;
  recorder: Pick<Recorder, "record">;
  now: Clock;
};

export type Disconnect = (by: ActingUser) => Promise<void>;

export const createDisconnect =
  ({ connections, cancelRuns, recorder, now }: Parts): Disconnect =>
  async (by) => {
    const startedAt = now();
    const { organizationId } = by.caller;
    const removed = await connections.disconnect(organizationId);
    if (removed !== undefined) {
      const { accountId, method } = removed;
      const facts = { durationMs: now() - startedAt, method, requestId: by.origin.requestId };
      await recorder.record(disconnectedEvent({ ...contextOfUser(by), accountId }, facts));
    }
    await cancelRuns(organizationId);
  };
