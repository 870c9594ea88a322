/** What processes events in a deployed function. */
import { wireDisconnect } from "../connection/wire-connection.ts";
import { wireConnectionStore, wireRecordsClaimStore } from "../connection/wire-connection-stores.ts";
import { wireOpenConnection } from "../connection/wire-open-connection.ts";
import { wireProviderAccess } from "../provider/wire-provider.ts";
import { createRecordStore } from "../records/record-store.ts";
import { wireApply } from "../records/wire-records.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { wireCancelRuns, wireStartRun } from "../sync/wire-start.ts";
import { createGapStore } from "./gap-store.ts";
import { createProcess, type Process } from "./process.ts";
import { createFailureRecorder } from "./record-failure.ts";
import { createReread } from "./reread-object.ts";
import { createWebhookEventStore } from "./webhook-event-store.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireProcess = (): Process => {
  const { WEBHOOK_EVENTS_TABLE_NAME, RECORDS_TABLE_NAME } = readConfig([
    "WEBHOOK_EVENTS_TABLE_NAME",
    "RECORDS_TABLE_NAME",
  ]);
  const access = wireProviderAccess();
  const connections = wireConnectionStore();
  const records = createRecordStore(documentClient, RECORDS_TABLE_NAME);
  const disconnect = wireDisconnect({ cancelRuns: wireCancelRuns() });
  const startRun = wireStartRun();
  const process = createProcess({
    events: createWebhookEventStore(documentClient, WEBHOOK_EVENTS_TABLE_NAME),
    readConnection: async (organizationId) => {
      const connection = await connections.read(organizationId);
      return connection.status === "disconnected" ? undefined : connection;
    },
    claimRecords: wireRecordsClaimStore().claimRecords,
    apply: wireApply(),
    readRecords: (organizationId, keys) => records.getMany(organizationId, keys, { strongly: true }),
    reread: createReread({ openConnection: wireOpenConnection(access), access }),
    disconnect: (organizationId, { connectionId, accountId }) =>
      disconnect({ organizationId, source: "webhook", accountId }, { connectionId, reason: "deauthorized" }),
    gaps: createGapStore(documentClient, WEBHOOK_EVENTS_TABLE_NAME),
    startGapRun: async (organizationId) => {
      await startRun({ organizationId, trigger: "webhook_gap" });
    },
    recordFailure: createFailureRecorder(wireRecorder()),
    now: systemClock,
  });
  return async (received) => {
    try {
      await process(received);
    } finally {
      await access.flush();
    }
  };
};
