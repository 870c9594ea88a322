/** POST …/security/drill: stores a drill, records its request, and requests a worker. docs/drills.md. */
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { addLogIds, writeLog } from "../runtime/log.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { DAY_MS, startOfDay } from "../terms/hours.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { requesterOf, type UserRequest } from "../terms/requester.ts";
import { MAX_DRILLS_PER_DAY, type StartedDrill } from "./drill.ts";
import { drillRequested, drillStartedEvent, momentOfStart } from "./drill-events.ts";
import { type DrillOrigin, toStartedDrill } from "./drill-item.ts";
import type { DrillStore, NewDrill } from "./drill-store.ts";
import type { SettleDrill } from "./read-drill.ts";

/** Of several concurrent requests, one is stored in each attempt. */
const MAX_ATTEMPTS = 5;

type StartDependencies = { drills: Pick<DrillStore, "find" | "current" | "create">; settle: SettleDrill; now: Clock };

const running = () =>
  new DomainError("drill_running", "A drill has not ended yet. Try again when it has, within 10 minutes.");

const tooMany = (now: number) =>
  new DomainError(
    "too_many_drills",
    `The organization has had ${MAX_DRILLS_PER_DAY} drills today. Try again tomorrow.`,
    {
      retryAfterSeconds: Math.ceil((startOfDay(now) + DAY_MS - now) / 1_000),
    },
  );

/**
 * The returned function stores a drill, unless it is stored already. It throws DomainError `drill_running`,
 * `too_many_drills` and `store_unavailable`.
 */
export const createStartDrill =
  ({ drills, settle, now }: StartDependencies) =>
  async (organizationId: string, drill: NewDrill): Promise<void> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const current = await drills.current(organizationId);
      if (current?.id === drill.id) return;
      const previous = current && (await drills.find(organizationId, current.id, now()));
      if (previous !== undefined) {
        const { drill: settled } = await settle(organizationId, previous);
        if (settled.status === "running") throw running();
      }
      const result = await drills.create(organizationId, drill, current);
      if (result === "too_many") throw tooMany(now());
      if (result !== "changed") return;
    }
    throw running();
  };
export type StartDrill = ReturnType<typeof createStartDrill>;

type Dependencies = {
  drills: Pick<DrillStore, "find" | "forgetOrigin">;
  start: StartDrill;
  recorder: Pick<Recorder, "record">;
  bus: Pick<EventBus, "publish">;
};

/** Records the request of a drill, once. @throws DomainError `store_unavailable`. */
export const createRecordStart =
  ({ drills, recorder }: { drills: Pick<DrillStore, "forgetOrigin">; recorder: Pick<Recorder, "record"> }) =>
  async (
    organizationId: string,
    { id, startedAt, origin }: Pick<NewDrill, "id" | "startedAt"> & { origin?: DrillOrigin | undefined },
  ): Promise<void> => {
    if (origin === undefined) return;
    await recorder.record(drillStartedEvent(organizationId, id, origin), momentOfStart(id, startedAt));
    await drills.forgetOrigin(organizationId, id);
  };

export const createRequestDrill = ({ drills, start, recorder, bus }: Dependencies) => {
  const recordStart = createRecordStart({ drills, recorder });
  return async (by: UserRequest & { identity: RequestIdentity }): Promise<StartedDrill> => {
    const { organizationId } = by.caller;
    const { id: requestId, at: startedAt, isRepeated } = by.identity;
    const origin: DrillOrigin = { requestId: by.origin.requestId, ...requesterOf(by) };
    const id = eventId(startedAt, identityOf("drill", organizationId, requestId));
    addLogIds({ drillId: id });
    const drill: NewDrill = { id, startedAt, origin };
    const earlier = isRepeated ? await drills.find(organizationId, id, startedAt) : undefined;
    if (earlier === undefined) await start(organizationId, drill);
    if (earlier === undefined || earlier.status === "running") {
      // A stored drill is carried out, whatever fails below: its worker records a missing event.
      await recordStart(organizationId, drill).catch((error: unknown) => {
        writeLog("warn", "Recording the start of a drill failed; its worker records it", { cause: String(error) });
      });
      const unpublished = await bus.publish([drillRequested({ organizationId, drillId: id })]);
      if (unpublished.length > 0)
        writeLog("warn", "Requesting a worker for a drill failed; the schedule finds the drill", {});
    }
    return toStartedDrill(drill);
  };
};
