/**
 * Before a sweep, everything that could write the erased data again is stopped. For all data: the connection, its sync run,
 * its webhooks and the exports. For a user: the exports that have begun, and the sync run that the user requested; another
 * run replaces it. docs/erasure.md, "Passes".
 */
import type { ConnectionChangeStore } from "../connection/connection-change-store.ts";
import type { RecordConnectionChange } from "../connection/connection-events.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import { createDisconnect } from "../connection/disconnect.ts";
import { type ExportDependencies, endExports, namesUser } from "../exports/erase.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import type { Cancelled, RunEnd } from "../sync/end-run.ts";
import { syncRequested } from "../sync/sync-request.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import { hasPendingWebhooks } from "../webhooks/erase.ts";
import { LEASE_MS } from "../work/lease.ts";
import type { Partition } from "../work/location.ts";
import type { Work } from "./passes.ts";

export type StopDependencies = Pick<ExportDependencies, "exports"> & {
  connections: Pick<ConnectionStore, "read">;
  changes: Pick<ConnectionChangeStore, "disconnect">;
  recordConnectionChange: RecordConnectionChange;
  runs: Pick<SyncRunStore, "readState">;
  runEnd: Pick<RunEnd, "cancelActive">;
  partitionsOf(organizationId: string): { webhookEvents: readonly Pick<Partition, "read">[]; exports: Partition };
  bus: Pick<EventBus, "publish">;
  clock: Clock;
};

/** After this time, webhooks that were received before the connection ended have been processed. */
const WEBHOOK_QUIET_MS = 60_000;

type Save = (work: Work) => Promise<void>;

/**
 * @param isRepeat whether an earlier attempt crashed. It may have cancelled a run whose lease end was not stored, so the
 *   wait lasts for a whole lease.
 * @param quietAt when the stopped writers can write no more, epoch ms each.
 */
const toWait = (work: Work, now: number, isRepeat: boolean, ...quietAt: readonly number[]): Work => ({
  ...work,
  phase: "wait",
  quietAt: Math.max(work.quietAt ?? 0, ...quietAt, isRepeat ? now + LEASE_MS : 0),
});

export const createStopWriters = (dependencies: StopDependencies) => {
  const { connections, changes, recordConnectionChange: recordChange, runs, runEnd, bus, clock } = dependencies;
  const exportsOf = (organizationId: string): Partition => dependencies.partitionsOf(organizationId).exports;

  return {
    /** Ends the connection and its run. @param save stores `stoppingAt` first, so that a crash is noticed. */
    async ofOrganization(organizationId: string, work: Work, save: Save): Promise<Work> {
      const now = clock();
      const { claimedBy, change } = await connections.read(organizationId);
      // The disconnect would replace an unrecorded change.
      if (change !== undefined) await recordChange(organizationId, change);
      const { claimedBy: _, ...rest } = work;
      const stopping: Work = { ...rest, stoppingAt: now, ...definedFields({ claimedBy }) };
      await save(stopping);
      let cancelled: Cancelled | undefined;
      const cancelRuns = async (id: string): Promise<void> => {
        cancelled = await runEnd.cancelActive(id, now);
      };
      await createDisconnect({ changes, recordChange, cancelRuns, now: clock })({ organizationId, source: "system" });
      const exportsEnd = await endExports(dependencies, organizationId, exportsOf(organizationId), () => true);
      return toWait(stopping, now, work.stoppingAt !== undefined, cancelled?.quietAt ?? 0, exportsEnd);
    },

    /**
     * Ends the exports that may name the user, and cancels the active run if the user requested it, because its worker would
     * record the user's id.
     */
    async ofUser(organizationId: string, userId: string, work: Work, save: Save): Promise<Work> {
      const now = clock();
      const isRepeat = work.stoppingAt !== undefined;
      const exportsEnd = await endExports(dependencies, organizationId, exportsOf(organizationId), (one) =>
        namesUser(one, userId),
      );
      const { run } = await runs.readState(organizationId);
      if (run?.askedBy?.userId !== userId) return toWait(work, now, isRepeat, exportsEnd);
      const stopping: Work = { ...work, stoppingAt: now, replacesRun: true };
      await save(stopping);
      const cancelled = await runEnd.cancelActive(organizationId, now, now);
      return toWait(stopping, now, isRepeat, cancelled?.quietAt ?? 0, exportsEnd);
    },

    /** Whether the stopped writers can write no more. */
    async haveStopped(organizationId: string, { quietAt = 0, stoppingAt, replacesRun }: Work): Promise<boolean> {
      if (clock() < quietAt) return false;
      // A user's erasure does not stop webhooks: they contain no users.
      if (stoppingAt === undefined || replacesRun === true) return true;
      if (clock() >= stoppingAt + WEBHOOK_QUIET_MS) return true;
      return !(await hasPendingWebhooks(dependencies.partitionsOf(organizationId).webhookEvents));
    },

    /** Requests a run in place of the user's. If the request is lost, resume-stalled-syncs repeats it within the hour. */
    async replaceRun(organizationId: string, { replacesRun, stoppingAt }: Work): Promise<void> {
      if (replacesRun !== true || stoppingAt === undefined) return;
      await bus.publish([syncRequested({ organizationId, slot: stoppingAt })]);
    },
  };
};
