/**
 * Every hour: finds the reports whose period is over and that were not made, and asks for each over the bus. Organizations with
 * events are marked by detection, connected ones here, once a day. docs/reports.md.
 */
import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { DAY_MS, startOfDay } from "../terms/hours.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { isReportable } from "./make-report.ts";
import { CATCH_UP_DAYS } from "./period.ts";
import { reportDue } from "./report-due.ts";
import type { DueReport, ReportDueStore } from "./report-due-store.ts";

/** A call of the bus takes ten; one each tenth of a second starts a hundred makers a second and no more. */
const BATCH = 10;
const BATCH_EVERY_MS = 100;

/** A bus that takes nothing for so many batches is left to the next hour. */
const MAX_REFUSALS = 20;

/** Of the function's time, to end in peace; what is left stays marked for the next hour. */
const MARGIN_MS = 20_000;

const MARKS_AT_ONCE = 25;

export type ReportDispatchParts = {
  due: Pick<ReportDueStore, "markReportsDue" | "listAll" | "connectedThrough" | "setConnectedThrough">;
  connectedOrganizations: () => AsyncIterable<string>;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
};

export const createReportDispatcher = (parts: ReportDispatchParts) => {
  const { due, connectedOrganizations, bus, clock, sleep } = parts;

  /**
   * Marks connected organizations for every day since the last time, up to the one under way: who is connected when it begins
   * has a report of it, though nothing else should happen. A time that fails is repeated as a whole.
   */
  const markConnected = async (today: number): Promise<number> => {
    const through = await due.connectedThrough();
    if (through !== undefined && through >= today) return 0;
    const first = Math.max(through ?? today - DAY_MS, today - CATCH_UP_DAYS * DAY_MS);
    const days = Array.from({ length: (today - first) / DAY_MS + 1 }, (_, index) => first + index * DAY_MS);
    let marked = 0;
    await inParallel(connectedOrganizations(), MARKS_AT_ONCE, async (organizationId) => {
      for (const day of days) await due.markReportsDue(organizationKey(organizationId), day);
      marked++;
    });
    await due.setConnectedThrough(today);
    return marked;
  };

  /** @throws Error where the bus takes none of them for long. */
  const publish = async (events: readonly BusEvent[]): Promise<void> => {
    let left = events;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === MAX_REFUSALS) throw new Error("The event bus does not take the reports that are to be made.");
      if (attempt > 0) await sleep(BATCH_EVERY_MS);
      left = (await bus.publish(left)).map(({ event }) => event);
    }
  };

  /**
   * Asks for what is due. Asked for twice, a report is made once; what is not asked for for want of time is next hour.
   * @throws DomainError `store_unavailable`, or Error where the bus does not take the requests: repeated, it does no harm.
   */
  return async (remainingMs: () => number) => {
    const now = clock();
    const connected = await markConnected(startOfDay(now));
    const wanted: DueReport[] = [];
    for await (const one of due.listAll()) if (isReportable(one.period, now)) wanted.push(one);
    wanted.sort((a, b) => a.period.to - b.period.to);
    let requested = 0;
    for (const batch of chunksOf(wanted, BATCH)) {
      if (remainingMs() < MARGIN_MS) break;
      const startedAt = clock();
      await publish(
        batch.map(({ scope, period: { kind, from } }) =>
          reportDue({ organizationId: organizationIdOf(scope), kind, from }),
        ),
      );
      requested += batch.length;
      await sleep(Math.max(0, startedAt + BATCH_EVERY_MS - clock()));
    }
    return { connected, requested, left: wanted.length - requested };
  };
};
