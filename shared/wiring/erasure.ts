/** The erasures of a deployed function. All throw Error at cold start if the environment lacks a variable. */

import { setTimeout as sleep } from "node:timers/promises";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createConnectionChangeRecorder } from "../connection/connection-events.ts";
import { createRecordRuleChange } from "../detection/change-rule.ts";
import { createRuleSettingsStore } from "../detection/rule-settings-store.ts";
import { createErasureEvents } from "../erasure/erasure-events.ts";
import { createErasureLeaseStore, createErasureStore } from "../erasure/erasure-store.ts";
import { createErasureWorker, type ErasureWorker } from "../erasure/erasure-worker.ts";
import { type CleanLateEvent, createCleanLateEvent, createLateStore } from "../erasure/late-store.ts";
import { createPartitions } from "../erasure/partition-store.ts";
import { createRequestErasure, type RequestErasure } from "../erasure/request-erasure.ts";
import type { ResumeErasuresDependencies } from "../erasure/resume-erasures.ts";
import { createEraseExportsStore } from "../exports/erase.ts";
import { createExportEvents } from "../exports/export-events.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createEraseReportsStore } from "../reports/erase.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createObjectStore, s3 } from "../runtime/object-store.ts";
import { openTable } from "../runtime/open-table.ts";
import { createFindAlerts } from "../security/alerts/erase.ts";
import { createHoldsEventsOf } from "../security/erase.ts";
import { createAwaitWriters } from "../security/feed/await-writers.ts";
import { createDueHourStore } from "../security/feed/due-hour-store.ts";
import { createEraseFeed } from "../security/feed/erase.ts";
import { createHourEventsStore } from "../security/feed/hour-events-store.ts";
import { createSettingsAuthorStore } from "../settings/erase.ts";
import { createSettingsStore } from "../settings/settings-store.ts";
import { wireArchive } from "./archive.ts";
import { wireConnectionChangeStore, wireConnectionStore, wireRecordsClaimStore } from "./connection-stores.ts";
import { wireMuteStore } from "./mute-stores.ts";
import { wireRecorder } from "./recorder.ts";
import { wireDueSealStore } from "./sealing-marks.ts";
import { wireResolveCause } from "./security.ts";
import { wireRunEnd, wireSyncBus, wireSyncRunStore } from "./sync.ts";

export const wireErasureStore = () => createErasureStore(openTable("erasures"));

export const wireCleanLateEvent = (): CleanLateEvent =>
  createCleanLateEvent({ late: createLateStore(openTable("erasures")) });

const wireBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

export const wireRequestErasure = (): RequestErasure =>
  createRequestErasure({
    erasures: wireErasureStore(),
    events: createErasureEvents({ recorder: wireRecorder() }),
    bus: wireBus(),
  });

export const wireResumeErasures = (): ResumeErasuresDependencies => ({
  erasures: wireErasureStore(),
  bus: wireBus(),
  clock: systemClock,
});

export const wireErasureWorker = (): ErasureWorker => {
  const config = readConfig(["FEED_BUCKET", "AWS_REGION", "EXPORTS_BUCKET"]);
  const { FEED_BUCKET: feedBucket, AWS_REGION: region } = config;
  const recorder = wireRecorder();
  const changes = wireConnectionChangeStore();
  const rules = createRuleSettingsStore(openTable("settings"));
  const archive = wireArchive();
  const dueSeals = wireDueSealStore();
  const dueHours = createDueHourStore(openTable("securityRollups"), systemClock);
  const awaitWriters = createAwaitWriters({ dueHours, now: systemClock, sleep });
  return createErasureWorker({
    recorder,
    changes,
    clock: systemClock,
    sleep,
    newToken: newRequestToken,
    partitionsOf: createPartitions(openTable),
    holdsEventsOf: createHoldsEventsOf(openTable("securityEvents")),
    findAlerts: createFindAlerts(openTable("securityAlerts")),
    leases: createErasureLeaseStore(openTable("erasures")),
    erasures: createErasureStore(openTable("erasures")),
    late: createLateStore(openTable("erasures")),
    events: createErasureEvents({ recorder }),
    connections: wireConnectionStore(),
    claims: wireRecordsClaimStore(),
    recordConnectionChange: createConnectionChangeRecorder({ changes, recorder }),
    settings: createSettingsStore(openTable("settings")),
    authors: createSettingsAuthorStore(openTable("settings")),
    rules,
    recordRuleChange: createRecordRuleChange({ store: rules, recorder, resolve: wireResolveCause() }),
    circuits: createCircuitStore(openTable("circuits")),
    runs: wireSyncRunStore(),
    runEnd: wireRunEnd(),
    bus: wireSyncBus(),
    reports: createEraseReportsStore(openTable("reports")),
    mutes: wireMuteStore(),
    destinations: createDestinationStore(openTable("notifications")),
    exports: createEraseExportsStore(openTable("exports"), createObjectStore(s3, config.EXPORTS_BUCKET)),
    exportEvents: createExportEvents({ recorder }),
    dueSeals,
    feed:
      feedBucket === undefined
        ? undefined
        : createEraseFeed({
            objects: createObjectStore(s3, feedBucket),
            dueHours,
            awaitWriters,
            region,
          }),
    archive: archive && {
      ...archive,
      events: createHourEventsStore(openTable("securityEvents")),
      awaitWriters,
      markUnsealed: dueSeals.markDue,
      clock: systemClock,
    },
  });
};
