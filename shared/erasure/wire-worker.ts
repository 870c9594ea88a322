/** The worker of a deployed function. */
import { setTimeout as sleep } from "node:timers/promises";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createTellChange } from "../connection/tell-change.ts";
import {
  wireConnectionChangeStore,
  wireConnectionStore,
  wireRecordsClaimStore,
} from "../connection/wire-connection-stores.ts";
import { createEraseReportsStore } from "../reports/erase-reports-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient as client } from "../runtime/document-client.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { organizationKey } from "../security/keys.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createSettingsStore } from "../settings/settings-store.ts";
import { wireSyncBus } from "../sync/wire-start.ts";
import { wireSyncEndStore, wireSyncRunStore } from "../sync/wire-sync-stores.ts";
import { createErasureEvents } from "./erasure-events.ts";
import { createErasureLeaseStore } from "./erasure-lease-store.ts";
import { createErasureStore } from "./erasure-store.ts";
import { createErasureWorker, type ErasureWorker } from "./erasure-worker.ts";
import { createEventOwners } from "./event-owner-store.ts";
import { createLateStore } from "./late-store.ts";
import { type PartitionTables, partitionsIn } from "./partitions.ts";
import { createSettingsAuthorStore } from "./settings-author-store.ts";
import { hasUnsettled } from "./unsettled-webhooks.ts";

const tableNames = () => {
  const config = readConfig([
    ...(["RECORDS_TABLE_NAME", "WEBHOOK_EVENTS_TABLE_NAME", "SYNC_RUNS_TABLE_NAME", "DETECTION_TABLE_NAME"] as const),
    ...(["SECURITY_ALERTS_TABLE_NAME", "SECURITY_EVENTS_TABLE_NAME", "SECURITY_ROLLUPS_TABLE_NAME"] as const),
    ...(["REPORTS_TABLE_NAME", "ERASURES_TABLE_NAME"] as const),
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
  } satisfies PartitionTables;
};

/** @throws Error at cold start where the environment lacks a variable. */
export const wireErasureWorker = (): ErasureWorker => {
  const tables = tableNames();
  const config = readConfig(["SETTINGS_TABLE_NAME", "CIRCUITS_TABLE_NAME"]);
  const recorder = wireRecorder();
  const changes = wireConnectionChangeStore();
  const partitionsOf = partitionsIn(client, tables);
  return createErasureWorker({
    ...{ partitionsOf, recorder, changes, clock: systemClock, sleep, newToken: newRequestToken },
    eventOwnersOf: (id) => createEventOwners(client, { tableName: tables.events, scope: organizationKey(id) }),
    hasUnsettledWebhooks: (id) => hasUnsettled(partitionsOf(id).webhookEvents),
    leases: createErasureLeaseStore(client, tables.erasures),
    erasures: createErasureStore(client, tables.erasures),
    late: createLateStore(client, tables.erasures),
    events: createErasureEvents({ recorder }),
    connections: wireConnectionStore(),
    claims: wireRecordsClaimStore(),
    tellConnectionChange: createTellChange({ changes, recorder }),
    settings: createSettingsStore(client, config.SETTINGS_TABLE_NAME),
    authors: createSettingsAuthorStore(client, config.SETTINGS_TABLE_NAME),
    circuits: createCircuitStore(client, config.CIRCUITS_TABLE_NAME),
    runs: wireSyncRunStore(),
    ends: wireSyncEndStore(),
    bus: wireSyncBus(),
    reports: createEraseReportsStore(client, tables.reports),
  });
};
