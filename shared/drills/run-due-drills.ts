/** Every few minutes: starts the monthly drills that are due, and goes on with the drills that have not ended. */
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { dueOccurrence } from "./drill.ts";
import type { DrillRun } from "./drill-events.ts";
import type { DrillStore } from "./drill-store.ts";
import type { StartDrill } from "./request-drill.ts";
import type { RunDrill } from "./run-drill.ts";

type Dependencies = {
  drills: Pick<DrillStore, "find" | "listOpen" | "monthlyThrough" | "noteMonthly">;
  /** The organizations whose settings ask for a monthly drill; may lag by a second. */
  monthlyOrganizations(): AsyncIterable<string>;
  start: StartDrill;
  run: RunDrill;
  now: Clock;
};

const DRILLS_AT_ONCE = 8;
/** For the drills that are begun, and the answer. */
const RESERVED_MS = 20_000;

/** Refusals by the organization's own drills: the day's are used up, or one is running. */
const isRefusal = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === "drill_running" || error.code === "too_many_drills");

/**
 * The returned function runs the drill that an event names, or else all that are due.
 * @throws Error if drills failed, after all others were run; DomainError `store_unavailable`.
 */
export const createRunDrills = ({ drills, monthlyOrganizations, start, run, now }: Dependencies) => {
  /** @returns whether the organization's drill of the occurrence is stored, or cannot be on that day. */
  const startMonthly = async (organizationId: string, occurrence: number): Promise<boolean> => {
    const id = eventId(occurrence, identityOf("drill", organizationId, "monthly"));
    if ((await drills.find(organizationId, id, now())) !== undefined) return true;
    try {
      await start(organizationId, { id, startedAt: now(), origin: undefined });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return (error as DomainError).code === "too_many_drills";
    }
    await run({ organizationId, id });
    return true;
  };

  return async ({ organizationId, drillId }: DrillRun, remainingMs: () => number) => {
    if (organizationId !== undefined && drillId !== undefined) {
      await run({ organizationId, id: drillId });
      return { ran: 1 };
    }
    const summary = { ran: 0, monthly: 0 };
    let isComplete = true;
    let failures = 0;
    const attempt = async (work: () => Promise<unknown>): Promise<void> => {
      if (remainingMs() < RESERVED_MS) {
        isComplete = false;
        return;
      }
      try {
        await work();
      } catch (error) {
        failures++;
        writeLog("error", "Running a drill failed; the next run goes on", { cause: String(error) });
      }
    };
    await inParallel(drills.listOpen(), DRILLS_AT_ONCE, (ref) =>
      attempt(async () => {
        summary.ran++;
        await run(ref);
      }),
    );
    const occurrence = dueOccurrence(now());
    if (occurrence !== undefined && (await drills.monthlyThrough()) < occurrence) {
      await inParallel(monthlyOrganizations(), DRILLS_AT_ONCE, (organization) =>
        attempt(async () => {
          summary.monthly++;
          if (!(await startMonthly(organization, occurrence))) isComplete = false;
        }),
      );
      if (isComplete && failures === 0) await drills.noteMonthly(occurrence);
    }
    if (failures > 0) throw new Error(`${failures} drills failed.`);
    return summary;
  };
};
