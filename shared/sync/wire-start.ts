/** How runs are seen, started and cancelled, in a deployed function. All throw Error where the environment lacks a variable. */
import { randomBytes } from "node:crypto";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { wireConnectionStore } from "../connection/wire-open-connection.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createIdempotencyStore } from "../runtime/idempotency-store.ts";
import { eventId, RANDOM_BYTES } from "../security/event-id.ts";
import { createStartRun, type StartRun } from "./start-run.ts";
import { createStartSync, type StartSync } from "./start-sync.ts";
import { createSyncEndStore } from "./sync-end-store.ts";
import { createSyncRunStore } from "./sync-run-store.ts";

const tableName = () => readConfig(["SYNC_RUNS_TABLE_NAME"]).SYNC_RUNS_TABLE_NAME;

/** A new run's id, which is in order of time. @param now epoch ms. */
export const newRunId = (now: number): string => eventId(now, randomBytes(RANDOM_BYTES));

export const wireSyncBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

export const wireSyncRunStore = () => createSyncRunStore(documentClient, tableName());

export const wireSyncEndStore = () =>
  createSyncEndStore(documentClient, tableName(), { retentionDays: readConfig(["RETENTION_DAYS"]).RETENTION_DAYS });

export const wireStartRun = (): StartRun =>
  createStartRun({
    runs: wireSyncRunStore(),
    ends: wireSyncEndStore(),
    bus: wireSyncBus(),
    clock: systemClock,
    newRunId,
  });

/** What POST …/sync does. */
export const wireStartSync = (): StartSync =>
  createStartSync({
    connections: wireConnectionStore(),
    circuits: createCircuitStore(documentClient, readConfig(["CIRCUITS_TABLE_NAME"]).CIRCUITS_TABLE_NAME),
    runs: wireSyncRunStore(),
    startRun: wireStartRun(),
    keys: createIdempotencyStore(documentClient, tableName()),
    clock: systemClock,
    newRunId,
  });

/** Ends whatever run of an organization is under way; its connection ends, or is made anew. */
export const wireCancelRuns = () => {
  const ends = wireSyncEndStore();
  return async (organizationId: string): Promise<void> => {
    await ends.cancel(organizationId, systemClock());
  };
};
