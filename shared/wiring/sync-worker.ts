/** The worker of sync runs, of proofs and of account activity in a deployed function. */

import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createEndpointCheckStore } from "../connection/endpoint-check-store.ts";
import { createWatchEntries } from "../detection/account/watch-account.ts";
import { createStripeActivityLog } from "../provider/stripe/activity-log.ts";
import { stripeSetup } from "../provider/stripe/setup.ts";
import { systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { createSecurityEventStore } from "../security/security-event-store.ts";
import { createActivityStore } from "../sync/activity-store.ts";
import { type CheckEndpoint, createCheckEndpoint } from "../sync/check-endpoint.ts";
import { createPageIdStore } from "../sync/page-id-store.ts";
import { createProveKey, type ProveKey } from "../sync/prove-key.ts";
import { createReadActivity, type ReadActivity } from "../sync/read-activity.ts";
import { createRunWorker, type RunWorker } from "../sync/run-worker.ts";
import { createSetAsideStore } from "../sync/set-aside-store.ts";
import { createSyncEvents } from "../sync/sync-events.ts";
import { createSyncLeaseStore } from "../sync/sync-lease-store.ts";
import { RunUnderWayError } from "../sync/sync-run-store.ts";
import { wireDisconnect, wireOpenConnection } from "./connection.ts";
import { wireConnectionStore, wireRecordsClaimStore } from "./connection-stores.ts";
import { wireCountMoney } from "./money.ts";
import { wireProviderAccess } from "./provider.ts";
import { raiseFinding, ruleSettings, wireRecorder } from "./recorder.ts";
import { wireApplyInBatches, wireRecordLists } from "./records.ts";
import { wireSettingsStore } from "./settings.ts";
import { newRunId, wireCancelRuns, wireRunEnd, wireStartRun, wireSyncBus, wireSyncRunStore } from "./sync.ts";
import { wireWatchRefusals } from "./watch-refusals.ts";
import { wireDeliveredEvents } from "./webhooks.ts";

const clock = systemClock;

/** @throws Error at cold start if a variable is missing. */
export const wireRunWorker = (): {
  work: RunWorker;
  proveKey: ProveKey;
  readActivity: ReadActivity;
  checkEndpoint: CheckEndpoint;
} => {
  const onRefused = wireWatchRefusals();
  const access = wireProviderAccess({ activityLog: createStripeActivityLog, onRefused });
  const startRun = wireStartRun();
  const judge = createWatchEntries({
    events: createSecurityEventStore(openTable("securityEvents")),
    settings: ruleSettings,
    connections: wireConnectionStore(),
    raise: raiseFinding,
    sweep: async (organizationId) => {
      await startRun({ organizationId, trigger: "webhook_gap" }).catch((error: unknown) => {
        // The run under way reads the same.
        if (!(error instanceof RunUnderWayError)) throw error;
      });
    },
    now: clock,
  });
  const openConnection = wireOpenConnection(access, onRefused);
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
    countMoney: wireCountMoney({ webhooks: false }),
    bus: wireSyncBus(),
    clock,
    newRunId,
    newToken: newRequestToken,
  });
  const circuits = createCircuitStore(openTable("circuits"));
  const settings = wireSettingsStore();
  const readActivity = createReadActivity({
    isWanted: async (organizationId) => (await settings.read(organizationId)).accountActivity,
    circuits,
    openConnection,
    access,
    activity: createActivityStore(openTable("syncRuns")),
    recorder: wireRecorder(),
    judge,
    clock,
  });
  const checkEndpoint = createCheckEndpoint({
    connections: wireConnectionStore(),
    circuits,
    openConnection,
    access,
    checks: createEndpointCheckStore(openTable("connections")),
    eventTypes: stripeSetup.eventTypes,
    clock,
  });
  return { work, proveKey: createProveKey({ circuits, openConnection, access, clock }), readActivity, checkEndpoint };
};
