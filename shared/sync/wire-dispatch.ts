/** The schedules' work, in a deployed function. Both throw Error where the environment lacks a variable. */
import { setTimeout as sleep } from "node:timers/promises";
import { wireConnectedStore } from "../connection/wire-connection-stores.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { connectedAfter } from "./connected-after.ts";
import { createSyncDispatcher } from "./dispatch-syncs.ts";
import type { ResumeParts } from "./resume-syncs.ts";
import { createSyncActiveStore } from "./sync-active-store.ts";
import { createSyncRunStore } from "./sync-run-store.ts";
import { wireSyncBus } from "./wire-start.ts";

export const wireDispatch = () => {
  const connected = wireConnectedStore();
  return createSyncDispatcher({
    connectedOrganizations: (after) => connectedAfter(connected.connectedOrganizations(), after),
    bus: wireSyncBus(),
    clock: systemClock,
    sleep,
  });
};

export const wireResume = (): ResumeParts => {
  const { SYNC_RUNS_TABLE_NAME } = readConfig(["SYNC_RUNS_TABLE_NAME"]);
  return {
    active: createSyncActiveStore(documentClient, SYNC_RUNS_TABLE_NAME),
    runs: createSyncRunStore(documentClient, SYNC_RUNS_TABLE_NAME),
    bus: wireSyncBus(),
    clock: systemClock,
  };
};
