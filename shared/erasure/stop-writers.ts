/**
 * Before anything is swept, whoever might write it again is stopped: of all, the connection ends and with it the run under
 * way and webhooks; of a user, the run that they asked for, in whose place another one begins. docs/erasure.md, "Rounds".
 */
import type { ConnectionChangeStore } from "../connection/connection-change-store.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import { createDisconnect } from "../connection/disconnect.ts";
import type { TellChange } from "../connection/tell-change.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import type { Cancelled, SyncEndStore } from "../sync/sync-end-store.ts";
import { LEASE_MS } from "../sync/sync-lease-store.ts";
import { syncRequested } from "../sync/sync-request.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import type { Work } from "./erasure-work.ts";

export type StopParts = {
  connections: Pick<ConnectionStore, "read">;
  changes: Pick<ConnectionChangeStore, "disconnect">;
  tellConnectionChange: TellChange;
  runs: Pick<SyncRunStore, "readState">;
  ends: Pick<SyncEndStore, "cancel">;
  /** Whether webhooks are stored whose processing may be under way. */
  hasUnsettledWebhooks(organizationId: string): Promise<boolean>;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
};

/** By then processing is over that had begun before the connection ended. */
const WEBHOOK_QUIET_MS = 60_000;

type Save = (work: Work) => Promise<void>;

const stopped = (work: Work, now: number, isRepeat: boolean, cancelled: Cancelled | undefined): Work => ({
  ...work,
  phase: "wait",
  // Where an earlier attempt died on its way, it may have cut a lease that nobody knows of any more.
  quietAt: Math.max(work.quietAt ?? 0, cancelled?.quietAt ?? 0, isRepeat ? now + LEASE_MS : 0),
});

export const createStopWriters = (parts: StopParts) => {
  const { connections, changes, tellConnectionChange: tell, runs, ends, bus, clock } = parts;

  return {
    /** Ends the connection and the run under way. `save` stores what must be known if this dies in between. */
    async ofAll(organizationId: string, work: Work, save: Save): Promise<Work> {
      const now = clock();
      const { claimedBy, change } = await connections.read(organizationId);
      // What the disconnect would put its own change in the place of.
      if (change !== undefined) await tell(organizationId, change);
      const { claimedBy: _, ...rest } = work;
      const stopping: Work = { ...rest, stoppingAt: now, ...(claimedBy !== undefined && { claimedBy }) };
      await save(stopping);
      let cancelled: Cancelled | undefined;
      const cancelRuns = async (id: string): Promise<void> => {
        cancelled = await ends.cancel(id, now);
      };
      await createDisconnect({ changes, tell, cancelRuns, now: clock })({ organizationId, source: "system" });
      return stopped(stopping, now, work.stoppingAt !== undefined, cancelled);
    },

    /** Ends the run under way if the user asked for it: its worker has the user in mind. */
    async ofUser(organizationId: string, userId: string, work: Work, save: Save): Promise<Work> {
      const now = clock();
      const isRepeat = work.stoppingAt !== undefined;
      const { run } = await runs.readState(organizationId);
      if (run?.askedBy?.userId !== userId) return stopped(work, now, isRepeat, undefined);
      const stopping: Work = { ...work, stoppingAt: now, replacesRun: true };
      await save(stopping);
      return stopped(stopping, now, isRepeat, await ends.cancel(organizationId, now));
    },

    /** Whether something may still be written by those who were stopped. */
    async isQuiet(organizationId: string, { quietAt = 0, stoppingAt, replacesRun }: Work): Promise<boolean> {
      if (clock() < quietAt) return false;
      // Where only a user's run was stopped, webhooks go on: they know no users.
      if (stoppingAt === undefined || replacesRun === true) return true;
      if (clock() >= stoppingAt + WEBHOOK_QUIET_MS) return true;
      return !(await parts.hasUnsettledWebhooks(organizationId));
    },

    /** Asks for a run in the place of the user's; where the bus does not take it, the schedule has one soon. */
    async replaceRun(organizationId: string, { replacesRun, stoppingAt }: Work): Promise<void> {
      if (replacesRun !== true || stoppingAt === undefined) return;
      await bus.publish([syncRequested({ organizationId, slot: stoppingAt })]);
    },
  };
};

export type StopWriters = ReturnType<typeof createStopWriters>;
