/** The worker of a deployed function. */
import { wireDisconnect } from "../connection/wire-connection.ts";
import { wireRecordsClaimStore } from "../connection/wire-connection-stores.ts";
import { wireOpenConnection } from "../connection/wire-open-connection.ts";
import { wireProviderAccess } from "../provider/wire-provider.ts";
import { wireApply, wireRecordLists } from "../records/wire-records.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { wireDeliveredEvents } from "../webhooks/wire-delivered-events.ts";
import { createRunEnd } from "./end-run.ts";
import { createPageIdStore } from "./page-id-store.ts";
import { createRunWorker, type RunWorker } from "./run-worker.ts";
import { createSyncEvents } from "./sync-events.ts";
import { createSyncLeaseStore } from "./sync-lease-store.ts";
import { newRunId, wireCancelRuns, wireSyncBus } from "./wire-start.ts";
import { wireSyncEndStore, wireSyncRunStore } from "./wire-sync-stores.ts";

const clock = systemClock;

/** @throws Error at cold start where the environment lacks a variable. */
export const wireRunWorker = (): RunWorker => {
  const config = readConfig(["SYNC_RUNS_TABLE_NAME"]);
  const access = wireProviderAccess();
  const events = createSyncEvents({ recorder: wireRecorder() });
  return createRunWorker({
    leases: createSyncLeaseStore(documentClient, config.SYNC_RUNS_TABLE_NAME),
    runs: wireSyncRunStore(),
    pageIds: createPageIdStore(documentClient, config.SYNC_RUNS_TABLE_NAME),
    runEnd: createRunEnd({ ends: wireSyncEndStore(), events, clock }),
    events,
    access,
    openConnection: wireOpenConnection(access),
    claims: wireRecordsClaimStore(),
    apply: wireApply(),
    records: wireRecordLists(),
    disconnect: wireDisconnect({ cancelRuns: wireCancelRuns() }),
    delivered: wireDeliveredEvents().delivered,
    bus: wireSyncBus(),
    clock,
    newRunId,
    newToken: newRequestToken,
  });
};
