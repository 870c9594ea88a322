/**
 * Every SYNC_INTERVAL_HOURS: asks for a sync run of each connected organization. If one invocation is too short, it continues
 * by an event of the bus. Decisions: docs/sync.md, "The schedule".
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { SyncDispatch } from "../../shared/sync/sync-schedules.ts";
import { wireDispatch } from "../../shared/wiring/sync.ts";

const dispatch = wireDispatch();

export const handler = createBusHandler("dispatch-syncs", SyncDispatch, (detail, { timeMs, remainingMs }) =>
  dispatch(detail, timeMs, remainingMs),
);
