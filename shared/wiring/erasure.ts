/** The erasures of a deployed function. All throw Error at cold start if the environment lacks a variable. */
import { setTimeout as sleep } from "node:timers/promises";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createConnectionChangeRecorder } from "../connection/connection-events.ts";
import { createErasureEvents } from "../erasure/erasure-events.ts";
import { createErasureLeaseStore, createErasureStore } from "../erasure/erasure-store.ts";
import { createErasureWorker, type ErasureWorker } from "../erasure/erasure-worker.ts";
import { type CleanLateEvent, createCleanLateEvent, createLateStore } from "../erasure/late-store.ts";
import {
  createFindAlerts,
  createHoldsEventsOf,
  createPartitions,
  type PartitionTables,
} from "../erasure/partition-store.ts";
import { createRequestErasure, type RequestErasure } from "../erasure/request-erasure.ts";
import type { ResumeErasuresDependencies } from "../erasure/resume-erasures.ts";
import { createSettingsAuthorStore } from "../erasure/settings-author-store.ts";
import { createEraseExportsStore } from "../exports/erase-exports-store.ts";
import { createExportEvents } from "../exports/export-events.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createEraseReportsStore } from "../reports/erase-reports-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient as client } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createObjectStore, s3 } from "../runtime/object-store.ts";
import { createDueHourStore } from "../security/feed/due-hour-store.ts";
import { createEraseFeed } from "../security/feed/erase-feed.ts";
import { createSettingsStore } from "../settings/settings-store.ts";
import { wireConnectionChangeStore, wireConnectionStore, wireRecordsClaimStore } from "./connection-stores.ts";
import { wireRecorder } from "./recorder.ts";
import { wireRunEnd, wireSyncBus, wireSyncRunStore } from "./sync.ts";

const tableName = () => readConfig(["ERASURES_TABLE_NAME"]).ERASURES_TABLE_NAME;

export const wireErasureStore = () => createErasureStore(client, tableName());

export const wireCleanLateEvent = (): CleanLateEvent =>
  createCleanLateEvent({ late: createLateStore(client, tableName()) });

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

const tableNames = () => {
  const config = readConfig([
    ...(["RECORDS_TABLE_NAME", "WEBHOOK_EVENTS_TABLE_NAME", "SYNC_RUNS_TABLE_NAME", "DETECTION_TABLE_NAME"] as const),
    ...(["SECURITY_ALERTS_TABLE_NAME", "SECURITY_EVENTS_TABLE_NAME", "SECURITY_ROLLUPS_TABLE_NAME"] as const),
    ...(["REPORTS_TABLE_NAME", "ERASURES_TABLE_NAME", "NOTIFICATIONS_TABLE_NAME", "EXPORTS_TABLE_NAME"] as const),
  ]);
  return {
    records: config.RECORDS_TABLE_NAME,
    webhookEvents: config.WEBHOOK_EVENTS_TABLE_NAME,
    runs: config.SYNC_RUNS_TABLE_NAME,
    alerts: config.SECURITY_ALERTS_TABLE_NAME,
    detection: config.DETECTION_TABLE_NAME,
    reports: config.REPORTS_TABLE_NAME,
    events: config.SECURITY_EVENTS_TABLE_NAME,
    rollups: config.SECURITY_ROLLUPS_TABLE_NAME,
    erasures: config.ERASURES_TABLE_NAME,
    notifications: config.NOTIFICATIONS_TABLE_NAME,
    exports: config.EXPORTS_TABLE_NAME,
  } satisfies PartitionTables;
};

export const wireErasureWorker = (): ErasureWorker => {
  const tables = tableNames();
  const config = readConfig([
    "SETTINGS_TABLE_NAME",
    "CIRCUITS_TABLE_NAME",
    "FEED_BUCKET",
    "AWS_REGION",
    "EXPORTS_BUCKET",
  ]);
  const { FEED_BUCKET: feedBucket, AWS_REGION: region } = config;
  const recorder = wireRecorder();
  const changes = wireConnectionChangeStore();
  return createErasureWorker({
    ...{ recorder, changes, clock: systemClock, sleep, newToken: newRequestToken },
    partitionsOf: createPartitions(client, tables),
    holdsEventsOf: createHoldsEventsOf(client, tables.events),
    findAlerts: createFindAlerts(client, tables.alerts),
    leases: createErasureLeaseStore(client, tables.erasures),
    erasures: createErasureStore(client, tables.erasures),
    late: createLateStore(client, tables.erasures),
    events: createErasureEvents({ recorder }),
    connections: wireConnectionStore(),
    claims: wireRecordsClaimStore(),
    recordConnectionChange: createConnectionChangeRecorder({ changes, recorder }),
    settings: createSettingsStore(client, config.SETTINGS_TABLE_NAME),
    authors: createSettingsAuthorStore(client, config.SETTINGS_TABLE_NAME),
    circuits: createCircuitStore(client, config.CIRCUITS_TABLE_NAME),
    runs: wireSyncRunStore(),
    runEnd: wireRunEnd(),
    bus: wireSyncBus(),
    reports: createEraseReportsStore(client, tables.reports),
    destinations: createDestinationStore(client, tables.notifications),
    exports: createEraseExportsStore(client, tables.exports, createObjectStore(s3, config.EXPORTS_BUCKET)),
    exportEvents: createExportEvents({ recorder }),
    feed:
      feedBucket === undefined
        ? undefined
        : createEraseFeed({
            objects: createObjectStore(s3, feedBucket),
            dueHours: createDueHourStore(client, tables.rollups, systemClock),
            ...{ region, now: systemClock, sleep },
          }),
  });
};
