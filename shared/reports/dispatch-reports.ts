/**
 * Every hour: finds the reports whose period is over and that were not made, and requests each over the bus. Detection marks
 * organizations with events; this dispatch marks connected organizations once a day. docs/reports.md.
 */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../terms/hours.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { dispatch } from "../work/dispatch.ts";
import { isReportable, reportDue } from "./make-report.ts";
import { CATCH_UP_DAYS } from "./period.ts";
import type { DueReport, ReportDueStore } from "./report-due-store.ts";

/** Many reports are spread over this time. One run reaches a quarter of them, and the next hours' runs the others. */
const SPREAD_MS = HOUR_MS;

const MARKS_AT_ONCE = 25;

export type ReportDispatchDependencies = {
  due: Pick<ReportDueStore, "markReportsDue" | "listAll" | "connectedThrough" | "setConnectedThrough">;
  connectedOrganizations: () => AsyncIterable<string>;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
};

export const createReportDispatcher = ({
  due,
  connectedOrganizations,
  bus,
  clock,
  sleep,
}: ReportDispatchDependencies) => {
  /**
   * Marks connected organizations for every day since the last dispatch that did so, up to today: an organization that is
   * connected when a day begins has a report of it, even without events. If this fails, it is repeated as a whole.
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

  const toEvent = ({ scope, period: { kind, from } }: DueReport) =>
    reportDue({ organizationId: organizationIdOf(scope), kind, from });

  /**
   * Requests the due reports, the oldest first. A report that is requested twice is made once.
   * @throws DomainError `store_unavailable`, or Error if the bus refuses the requests; it may be repeated.
   */
  return async (remainingMs: () => number) => {
    const now = clock();
    const connected = await markConnected(startOfDay(now));
    const wanted: DueReport[] = [];
    for await (const one of due.listAll()) if (isReportable(one.period, now)) wanted.push(one);
    const { dispatched } = await dispatch({
      items: wanted.sort((a, b) => a.period.to - b.period.to),
      toEvents: (batch) => batch.map(toEvent),
      withinMs: SPREAD_MS,
      bus,
      clock,
      sleep,
      remainingMs,
    });
    return { connected, requested: dispatched, left: wanted.length - dispatched };
  };
};
