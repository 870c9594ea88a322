/**
 * Carries out a drill step by step. Each step is noted in the drill, may be repeated, and makes the same things again, so a
 * crash between two steps costs nothing: the next worker goes on. After its limit, a drill does no further step.
 */

import type { Destination } from "../notifications/destination.ts";
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import type { RaiseForDrill } from "../security/alerts/drill-raiser.ts";
import type { Recorder } from "../security/recorder.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { drillEvents, judgeDrill } from "./brute-force.ts";
import { DRILL_LIMIT_MS } from "./drill.ts";
import type { StoredDrill } from "./drill-item.ts";
import type { DrillRef, DrillStore } from "./drill-store.ts";
import type { SettleDrill } from "./read-drill.ts";
import { createRecordStart } from "./request-drill.ts";

export type RunDrillDependencies = {
  drills: Pick<DrillStore, "find" | "note" | "forgetOrigin">;
  settle: SettleDrill;
  recorder: Pick<Recorder, "record">;
  /** The stored events of these ids; reads strongly. */
  readEvents(organizationId: string, ids: readonly string[]): Promise<SecurityEvent[]>;
  raiseAlert: RaiseForDrill;
  destinations: { list(organizationId: string): Promise<readonly Pick<Destination, "id" | "status">[]> };
  now: Clock;
};

const EVENTS_AT_ONCE = 5;

/** The returned function throws DomainError `store_unavailable`, or Error: the drill may be run again. */
export const createRunDrill = (dependencies: RunDrillDependencies) => {
  const { drills, settle, recorder, readEvents, raiseAlert, destinations, now } = dependencies;
  const recordStart = createRecordStart({ drills, recorder });

  /** Records the events, and reads them: the recorder does not say whether it stored an event. */
  const recordEvents = async (organizationId: string, drill: StoredDrill): Promise<SecurityEvent[]> => {
    const events = drillEvents(organizationId, drill);
    const ids = events.map(({ id }) => id);
    if (drill.recordedAt === undefined) {
      await inParallel(
        events,
        EVENTS_AT_ONCE,
        async ({ event, moment }) => void (await recorder.record(event, moment)),
      );
    }
    const stored = await readEvents(organizationId, ids);
    if (stored.length < ids.length) throw new Error("Events of a drill were not stored.");
    return stored;
  };

  const raise = async (organizationId: string, drill: StoredDrill): Promise<void> => {
    const { id } = drill;
    const events = await recordEvents(organizationId, drill);
    if ((await drills.note(organizationId, id, { recordedAt: now() })) === undefined) return;
    const finding = judgeDrill(events, drill);
    if (finding === undefined) throw new Error("The rule did not find the brute force of a drill.");
    const active = (await destinations.list(organizationId)).filter(({ status }) => status === "active");
    const step = { judgedAt: now(), destinationIds: active.map((destination) => destination.id) };
    if ((await drills.note(organizationId, id, step)) === undefined) return;
    const alert = await raiseAlert(organizationId, id, finding);
    await drills.note(organizationId, id, { alertedAt: now(), alertId: alert.id });
  };

  return async ({ organizationId, id }: DrillRef): Promise<void> => {
    const drill = await drills.find(organizationId, id, now());
    if (drill?.status !== "running") return;
    await recordStart(organizationId, drill);
    if (drill.alertId === undefined && now() < drill.startedAt + DRILL_LIMIT_MS) await raise(organizationId, drill);
    const latest = await drills.find(organizationId, id, now());
    if (latest !== undefined) await settle(organizationId, latest);
  };
};
export type RunDrill = ReturnType<typeof createRunDrill>;
