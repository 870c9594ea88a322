/** How runs are started and cancelled, in a deployed function. All throw Error where the environment lacks a variable. */
import { randomBytes } from "node:crypto";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { wireConnectionStore } from "../connection/wire-connection-stores.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createIdempotencyStore } from "../runtime/idempotency-store.ts";
import { eventId, RANDOM_BYTES } from "../security/event-id.ts";
import { createStartRun, type StartRun } from "./start-run.ts";
import { createStartSync, type StartSync } from "./start-sync.ts";
import { wireSyncEndStore, wireSyncRunStore } from "./wire-sync-stores.ts";

/** A new run's id, which is in order of time. @param now epoch ms. */
export const newRunId = (now: number): string => eventId(now, randomBytes(RANDOM_BYTES));

export const wireSyncBus = () => createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);

export const wireStartRun = (): StartRun =>
  createStartRun({
    runs: wireSyncRunStore(),
    ends: wireSyncEndStore(),
    bus: wireSyncBus(),
    clock: systemClock,
    newRunId,
  });

/** What POST …/sync does. */
export const wireStartSync = (): StartSync => {
  const config = readConfig(["CIRCUITS_TABLE_NAME", "SYNC_RUNS_TABLE_NAME"]);
  return createStartSync({
    connections: wireConnectionStore(),
    circuits: createCircuitStore(documentClient, config.CIRCUITS_TABLE_NAME),
    runs: wireSyncRunStore(),
    startRun: wireStartRun(),
    keys: createIdempotencyStore(documentClient, config.SYNC_RUNS_TABLE_NAME),
    clock: systemClock,
    newRunId,
  });
};

/** Ends whatever run of an organization is under way; its connection ends, or is made anew. */
export const wireCancelRuns = () => {
  const ends = wireSyncEndStore();
  return async (organizationId: string): Promise<void> => {
    await ends.cancel(organizationId, systemClock());
  };
};
