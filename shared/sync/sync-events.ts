/** The security events of runs: start and end. A cancelled run has no end event, because its cause has an event. */
import { type DefinedFields, definedFields } from "../json/defined-fields.ts";
import { PAGE_SIZE } from "../provider/provider.ts";
import { recordTypes, resourceTypeOf } from "../records/record.ts";
import { NOT_STORABLE, type SetAside, setAsideReasons } from "../records/set-aside.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import type { Requester } from "../terms/requester.ts";
import { errorKinds } from "../terms/risk-levels.ts";
import type { ActiveRun } from "./sync-item.ts";
import type { SyncErrorCategory, SyncRun, SyncTrigger } from "./sync-run.ts";
import type { SyncFailure } from "./sync-work.ts";

type EventRun = Pick<ActiveRun, "id" | "trigger" | "mode" | "askedBy">;

const sourceByTrigger = {
  scheduled: "system",
  manual: "user",
  connection: "user",
  webhook_gap: "webhook",
} as const satisfies Record<SyncTrigger, NewSecurityEvent["source"]>;

/** Who started a run: for its security events, and those of its operations. */
export type RunOrigin = { source: NewSecurityEvent["source"] } & Partial<DefinedFields<Requester>>;

export const originOfRun = ({ trigger, askedBy }: Pick<EventRun, "trigger" | "askedBy">): RunOrigin => {
  const source = sourceByTrigger[trigger];
  if (askedBy === undefined) return { source: source === "user" ? "system" : source };
  const { userId, sessionId, ipAddress, userAgent } = askedBy;
  return { source, userId, ipAddress, ...definedFields({ sessionId, userAgent }) };
};

const about = (organizationId: string, accountId: string | undefined, run: EventRun) => ({
  organizationId,
  ...originOfRun(run),
  ...definedFields({ resource: accountId }),
  category: "integration" as const,
  resourceType: "provider_account" as const,
  action: `sync_${run.mode}`,
});

const factsOf = ({ id, trigger, mode }: EventRun) => ({
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

/** Each event is recorded once for its run, because its id follows from the run's. */
export const createSyncEvents = ({ recorder }: { recorder: Pick<Recorder, "record"> }) => ({
  /** PROVIDER_SYNC_STARTED, at the time of the request. */
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

  /** PROVIDER_REQUEST, unsuccessful: an object that the run cannot store. */
  async setAside(
    organizationId: string,
    accountId: string,
    run: ActiveRun,
    { type, name, reason }: SetAside,
  ): Promise<void> {
    await recorder.record(
      {
        ...about(organizationId, accountId, run),
        eventType: "PROVIDER_REQUEST",
        riskLevel: "LOW",
        success: false,
        resource: name,
        resourceType: resourceTypeOf[type],
        action: `set_aside_${resourceTypeOf[type]}`,
        errorCode: NOT_STORABLE,
        errorMessage: setAsideReasons[reason],
        // No request was made for it.
        metadata: { objectId: name, type, runId: run.id, attempts: 0, durationMs: 0 },
      },
      { timestamp: run.startedAt, identity: identityOf("set_aside", organizationId, run.id, type, name) },
    );
  },

  /** PROVIDER_SYNC_COMPLETED or PROVIDER_SYNC_FAILED; nothing for a cancelled run. */
  async ended(
    organizationId: string,
    accountId: string | undefined,
    ended: SyncRun & Pick<ActiveRun, "askedBy">,
    failure: SyncFailure | undefined,
  ): Promise<void> {
    const { status, startedAt, finishedAt = startedAt, progress, healed, setAside, error } = ended;
    if (status === "cancelled") return;
    const metadata = { ...factsOf(ended), durationMs: finishedAt - startedAt, progress, healed, setAside };
    const common = about(organizationId, accountId, ended);
    const moment = { timestamp: finishedAt, identity: identityOf("sync_ended", organizationId, ended.id) };
    if (error === undefined) {
      const event = { eventType: "PROVIDER_SYNC_COMPLETED", riskLevel: "LOW", success: true } as const;
      await recorder.record({ ...common, ...event, metadata }, moment);
      return;
    }
    const event = {
      eventType: "PROVIDER_SYNC_FAILED" as const,
      success: false,
      ...riskOf(error.category),
      errorCode: failure?.code ?? error.category,
      errorMessage: error.message,
    };
    await recorder.record({ ...common, ...event, metadata }, moment);
  },
});
