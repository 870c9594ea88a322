/**
 * The security events of runs: that one began, and how it ended. A run that was cancelled leaves no end: what cancelled it
 * has an event of its own.
 */
import { PAGE_SIZE } from "../provider/provider.ts";
import { recordTypes } from "../records/record.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { errorKinds } from "../terms/risk-levels.ts";
import type { ActiveRun } from "./sync-item.ts";
import type { SyncErrorCategory, SyncRun, SyncTrigger } from "./sync-run.ts";
import type { SyncFailure } from "./sync-work.ts";

type Told = Pick<ActiveRun, "id" | "trigger" | "mode" | "askedBy">;

const sourceByTrigger = {
  scheduled: "system",
  manual: "user",
  connection: "user",
  webhook_gap: "webhook",
} as const satisfies Record<SyncTrigger, NewSecurityEvent["source"]>;

/** Where a run comes from, and who asked for it: what its events say, and those of its operations. */
export type RunOrigin = {
  source: NewSecurityEvent["source"];
  userId?: string;
  sessionId?: string;
  ipAddress?: string;
  userAgent?: string;
};

export const originOfRun = ({ trigger, askedBy }: Pick<Told, "trigger" | "askedBy">): RunOrigin => {
  const source = sourceByTrigger[trigger];
  if (askedBy === undefined) return { source: source === "user" ? "system" : source };
  const { userId, sessionId, ipAddress, userAgent } = askedBy;
  return {
    ...{ source, userId, ipAddress },
    ...(sessionId !== undefined && { sessionId }),
    ...(userAgent !== undefined && { userAgent }),
  };
};

const about = (organizationId: string, accountId: string | undefined, run: Told) => ({
  organizationId,
  ...originOfRun(run),
  ...(accountId !== undefined && { resource: accountId }),
  category: "integration" as const,
  resourceType: "provider_account" as const,
  action: `sync_${run.mode}`,
});

const factsOf = ({ id, trigger, mode }: Told) => ({
  runId: id,
  trigger,
  syncType: mode,
  batchSize: PAGE_SIZE,
  recordTypes: [...recordTypes],
});

const riskOf = (category: SyncErrorCategory) => {
  const errorKind = errorKinds.find((kind) => kind === category);
  if (errorKind !== undefined) return { errorKind };
  return { riskLevel: category === "system" ? ("HIGH" as const) : ("MEDIUM" as const) };
};

export type SyncEvents = ReturnType<typeof createSyncEvents>;

/** Each is recorded once for its run, however often it is told, under an id that follows from the run. */
export const createSyncEvents = ({ recorder }: { recorder: Pick<Recorder, "record"> }) => ({
  /** PROVIDER_SYNC_STARTED, of the moment in which the run was asked for. */
  async started(organizationId: string, accountId: string, run: ActiveRun): Promise<void> {
    await recorder.record(
      {
        ...about(organizationId, accountId, run),
        eventType: "PROVIDER_SYNC_STARTED",
        riskLevel: "LOW",
        success: true,
        metadata: factsOf(run),
      },
      { timestamp: run.startedAt, identity: identityOf("sync_started", organizationId, run.id) },
    );
  },

  /** PROVIDER_SYNC_COMPLETED or PROVIDER_SYNC_FAILED; nothing of a run that was cancelled. */
  async ended(
    organizationId: string,
    accountId: string | undefined,
    ended: SyncRun & Pick<ActiveRun, "askedBy">,
    failure: SyncFailure | undefined,
  ): Promise<void> {
    const { status, startedAt, finishedAt = startedAt, progress, healed, error } = ended;
    if (status === "cancelled") return;
    const metadata = { ...factsOf(ended), durationMs: finishedAt - startedAt, progress, healed };
    const said = about(organizationId, accountId, ended);
    const moment = { timestamp: finishedAt, identity: identityOf("sync_ended", organizationId, ended.id) };
    if (error === undefined) {
      const event = { eventType: "PROVIDER_SYNC_COMPLETED", riskLevel: "LOW", success: true } as const;
      await recorder.record({ ...said, ...event, metadata }, moment);
      return;
    }
    const event = {
      ...({ eventType: "PROVIDER_SYNC_FAILED", success: false, ...riskOf(error.category) } as const),
      errorCode: failure?.code ?? error.category,
      errorMessage: error.message,
    };
    await recorder.record({ ...said, ...event, metadata }, moment);
  },
});
