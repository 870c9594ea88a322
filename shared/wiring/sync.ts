/** Sync runs in a deployed function. All throw Error at cold start if a variable is missing. */

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { openTable } from "../runtime/open-table.ts";
import { eventId, RANDOM_BYTES } from "../security/event-id.ts";
import { createRunEnd } from "../sync/end-run.ts";
import { createOccurrenceStore } from "../sync/occurrence-store.ts";
import { createStartRun, type StartRun } from "../sync/start-run.ts";
import { createStartSync, type StartSync } from "../sync/start-sync.ts";
import { createSyncEndStore } from "../sync/sync-end-store.ts";
import { createSyncEvents } from "../sync/sync-events.ts";
import { createSyncRunStore } from "../sync/sync-run-store.ts";
import { createSyncDispatcher, type ResumeDependencies } from "../sync/sync-schedules.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { wireConnectedAfter, wireConnectedStore, wireConnectionStore } from "./connection-stores.ts";
import { wireRecorder } from "./recorder.ts";

export const wireSyncRunStore = () => createSyncRunStore(openTable("syncRuns"));

/** A new run's id. Ids sort by time. @param now epoch ms. */
export const newRunId = (now: number): string => eventId(now, randomBytes(RANDOM_BYTES));

export const wireSyncBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

export const wireStartRun = (): StartRun =>
  createStartRun({
    runs: wireSyncRunStore(),
    bus: wireSyncBus(),
    clock: systemClock,
    newRunId,
  });

/** POST …/sync. */
export const wireStartSync = (): StartSync => {
  return createStartSync({
    connections: wireConnectionStore(),
    circuits: createCircuitStore(openTable("circuits")),
    runs: wireSyncRunStore(),
    startRun: wireStartRun(),
    clock: systemClock,
  });
};

export const wireRunEnd = () =>
  createRunEnd({
    runs: wireSyncRunStore(),
    ends: createSyncEndStore(openTable("syncRuns"), {
      retentionDays: readConfig(["RETENTION_DAYS"]).RETENTION_DAYS,
    }),
    events: createSyncEvents({ recorder: wireRecorder() }),
    clock: systemClock,
  });

/** Cancels the active run of an organization whose connection ends or is replaced. */
export const wireCancelRuns = () => {
  const runEnd = wireRunEnd();
  return async (organizationId: string): Promise<void> => {
    await runEnd.cancelActive(organizationId, systemClock());
  };
};

const wireOccurrences = () => createOccurrenceStore(openTable("syncRuns"));

const syncIntervalMs = () => readConfig(["SYNC_INTERVAL_HOURS"]).SYNC_INTERVAL_HOURS * HOUR_MS;

export const wireDispatch = () => {
  return createSyncDispatcher({
    connectedOrganizations: wireConnectedAfter(),
    bus: wireSyncBus(),
    clock: systemClock,
    sleep,
    syncIntervalMs: syncIntervalMs(),
    occurrences: wireOccurrences(),
  });
};

export const wireResume = (): ResumeDependencies => ({
  ...wireConnectedStore(),
  runs: wireSyncRunStore(),
  occurrences: wireOccurrences(),
  bus: wireSyncBus(),
  clock: systemClock,
  sleep,
  syncIntervalMs: syncIntervalMs(),
});
