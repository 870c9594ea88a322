/**
 * Every hour: finds the reports whose period is over and that were not made, and requests each over the bus. Detection marks
 * organizations with events; this dispatch marks connected organizations once a day. docs/reports.md.
 */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { organizationIdOf } from "../terms/keys.ts";
import { dispatch } from "../work/dispatch.ts";
import { isReportable, reportDue } from "./make-report.ts";
import { createConnectedMarker, type MarkConnectedDependencies } from "./mark-connected.ts";
import type { DueReport, ReportDueStore } from "./report-due-store.ts";

/** Many reports are spread over this time. One run reaches a quarter of them, and the next hours' runs the others. */
const SPREAD_MS = HOUR_MS;

export type ReportDispatchDependencies = MarkConnectedDependencies & {
  due: Pick<ReportDueStore, "listAll">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
};

export const createReportDispatcher = (dependencies: ReportDispatchDependencies) => {
  const { due, bus, clock, sleep } = dependencies;
  const markConnected = createConnectedMarker(dependencies);

  const toEvent = ({ scope, period: { kind, from } }: DueReport) =>
    reportDue({ organizationId: organizationIdOf(scope), kind, from });

  /**
   * Requests the due reports, the oldest first. A report that is requested twice is made once.
   * @throws DomainError `store_unavailable`, or Error if the bus refuses the requests; it may be repeated.
   */
  return async (remainingMs: () => number) => {
    const now = clock();
    const connected = await markConnected(remainingMs);
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
