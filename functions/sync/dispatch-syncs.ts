/**
 * Every SYNC_INTERVAL_HOURS: asks for a sync run of each connected organization. It goes on by an event of the bus where one
 * invocation is too short. Decisions: docs/sync.md, "The schedule".
 */
import { createBusHandler } from "../../shared/runtime/create-bus-handler.ts";
import { type createSyncDispatcher, SyncDispatch } from "../../shared/sync/sync-schedules.ts";
import { wireDispatch } from "../../shared/wiring/sync.ts";

export const dispatchSyncsHandler = (dispatch: ReturnType<typeof createSyncDispatcher>) =>
  createBusHandler("dispatch-syncs", SyncDispatch, ({ slot, after }, { timeMs, remainingMs }) =>
    dispatch(slot ?? timeMs, after, remainingMs),
  );

export const handler = dispatchSyncsHandler(wireDispatch());
