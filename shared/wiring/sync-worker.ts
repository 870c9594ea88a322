/** The worker of sync runs and of proofs in a deployed function. */

import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { createPageIdStore } from "../sync/page-id-store.ts";
import { createProveKey, type ProveKey } from "../sync/prove-key.ts";
import { createRunWorker, type RunWorker } from "../sync/run-worker.ts";
import { createSetAsideStore } from "../sync/set-aside-store.ts";
import { createSyncEvents } from "../sync/sync-events.ts";
import { createSyncLeaseStore } from "../sync/sync-lease-store.ts";
import { wireDisconnect, wireOpenConnection } from "./connection.ts";
import { wireRecordsClaimStore } from "./connection-stores.ts";
import { wireProviderAccess } from "./provider.ts";
import { wireRecorder } from "./recorder.ts";
import { wireApplyInBatches, wireRecordLists } from "./records.ts";
import { newRunId, wireCancelRuns, wireRunEnd, wireSyncBus, wireSyncRunStore } from "./sync.ts";
import { wireDeliveredEvents } from "./webhooks.ts";

const clock = systemClock;

/** @throws Error at cold start if a variable is missing. */
export const wireRunWorker = (): { work: RunWorker; proveKey: ProveKey } => {
  const access = wireProviderAccess();
  const openConnection = wireOpenConnection(access);
  const events = createSyncEvents({ recorder: wireRecorder() });
  const work = createRunWorker({
    leases: createSyncLeaseStore(openTable("syncRuns")),
    runs: wireSyncRunStore(),
    pageIds: createPageIdStore(openTable("syncRuns")),
    setAsides: createSetAsideStore(openTable("syncRuns")),
    runEnd: wireRunEnd(),
    events,
    access,
    openConnection,
    claims: wireRecordsClaimStore(),
    apply: wireApplyInBatches(),
    records: wireRecordLists(),
    disconnect: wireDisconnect({ cancelRuns: wireCancelRuns() }),
    delivered: wireDeliveredEvents().delivered,
    bus: wireSyncBus(),
    clock,
    newRunId,
    newToken: newRequestToken,
  });
  const circuits = createCircuitStore(openTable("circuits"));
  return { work, proveKey: createProveKey({ circuits, openConnection, access, clock }) };
};
