import { writeLog } from "../runtime/log.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { ConnectionChangeStore } from "./connection-change-store.ts";
import { type ConnectionChange, connectionChangedEvent } from "./connection-changed.ts";

export type TellChange = (organizationId: string, change: ConnectionChange) => Promise<void>;

/** Records a change, once however often it is told: its event's id follows from the connection. Never throws. */
export const createTellChange =
  (parts: { recorder: Pick<Recorder, "record">; changes: Pick<ConnectionChangeStore, "forgetChange"> }): TellChange =>
  async (organizationId, change) => {
    const { eventType, connectionId, at } = change;
    const moment = { timestamp: at, identity: identityOf(eventType, organizationId, connectionId) };
    await parts.recorder.record(connectionChangedEvent(organizationId, change), moment);
    await parts.changes.forgetChange(organizationId, change).catch((error: unknown) => {
      writeLog("warn", "A recorded change of a connection was not marked as such", { cause: String(error) });
    });
  };
