/**
 * Makes a report, once for its period, from the data that is stored when the period is over. After a crash the mark remains,
 * and the next dispatch requests the report again. docs/reports.md.
 */
import * as z from "zod/mini";
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { RunSummary } from "../runtime/background-handlers.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import { GRACE_MS } from "../security/statistics/close-hours.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { buildComplianceReport, type ComplianceInput } from "./build-compliance-report.ts";
import { buildMonthReport, type MonthInput } from "./build-month-report.ts";
import { buildReviewReport, type ReviewInput } from "./build-review-report.ts";
import { type Period, periodOf, reportKinds } from "./period.ts";
import type { Report } from "./report.ts";
import type { ReportDueStore } from "./report-due-store.ts";
import { REPORT_MADE_TYPE, reportMade } from "./report-made.ts";
import type { ReportStore } from "./report-store.ts";

export const REPORT_DUE_TYPE = "ReportDue";

/** `from`: the period's beginning, epoch ms. A detail of the same version may only gain fields. */
export const ReportDue = z.object({
  version: z.literal(1),
  organizationId: z.string(),
  kind: z.enum(reportKinds),
  from: z.int(),
});
export type ReportDue = z.output<typeof ReportDue>;

/** If it is delivered twice or too late, it changes nothing. */
export const reportDue = (detail: Omit<ReportDue, "version">): BusEvent & { detail: ReportDue } => ({
  source: EVENT_SOURCE,
  detailType: REPORT_DUE_TYPE,
  detail: { version: 1, ...detail },
});

type Collect<Input> = (organizationId: string, period: Period, now: number) => Promise<Input>;

export type ReportMakerDependencies = {
  reports: Pick<ReportStore, "has" | "put" | "erasedTimes">;
  due: Pick<ReportDueStore, "read" | "clear">;
  connections: Pick<ConnectionStore, "read">;
  collectCompliance: Collect<ComplianceInput>;
  collectReview: Collect<ReviewInput>;
  collectMonth: Collect<MonthInput>;
  bus: Pick<EventBus, "publish">;
  now: Clock;
};

/** If erasures invalidate the report so often, the next dispatch requests it again. */
const ATTEMPTS = 3;

/** A month's report lists the reports of its days, so they are made before. */
const MONTH_LATER_MS = HOUR_MS;

/** Whether a period is over, and its events have been stored. @param now epoch ms. */
export const isReportable = ({ kind, to }: Pick<Period, "kind" | "to">, now: number): boolean =>
  to + GRACE_MS + (kind === "month" ? MONTH_LATER_MS : 0) <= now;

export const createReportMaker = ({
  reports,
  due,
  connections,
  collectCompliance,
  collectReview,
  collectMonth,
  bus,
  now,
}: ReportMakerDependencies) => {
  /** Whether the organization was connected in a period. If it has disconnected since, the period has an event of that. */
  const wasConnected = async (organizationId: string, { to }: Period): Promise<boolean> => {
    const connection = await connections.read(organizationId);
    return connection.status !== "disconnected" && connection.connectedAt < to;
  };

  /** @returns undefined if there is nothing to report: no event, no run and no connection. */
  const build = async (organizationId: string, period: Period): Promise<Report | undefined> => {
    if (period.kind === "compliance") {
      const input = await collectCompliance(organizationId, period, now());
      const isEmpty = input.day.events.total === 0 && input.runs.length === 0;
      return isEmpty && !(await wasConnected(organizationId, period)) ? undefined : buildComplianceReport(input);
    }
    if (period.kind === "month") {
      const input = await collectMonth(organizationId, period, now());
      const isEmpty = input.days.size === 0 && input.reports.length === 0;
      return isEmpty && !(await wasConnected(organizationId, period)) ? undefined : buildMonthReport(input);
    }
    const input = await collectReview(organizationId, period, now());
    const isOfWeek = (time: number) => time >= period.from;
    const isEmpty = ![...input.days.keys()].some(isOfWeek) && !input.runs.some((run) => isOfWeek(run.startedAt));
    return isEmpty && !(await wasConnected(organizationId, period)) ? undefined : buildReviewReport(input);
  };

  const make = async (organizationId: string, period: Period): Promise<"made" | "exists" | "none"> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const erasedTimes = await reports.erasedTimes(organizationId);
      const report = await build(organizationId, period);
      if (report === undefined) return "none";
      const result = await reports.put(organizationId, report, erasedTimes);
      if (result !== "erased") return result === "stored" ? "made" : "exists";
    }
    throw new Error("Erasures invalidated the report; the next dispatch requests it again.");
  };

  /** @throws Error if the bus does not take the event: the mark then remains, and the next request publishes it. */
  const publish = async (organizationId: string, period: Period): Promise<void> => {
    const [unpublished] = await bus.publish([reportMade(organizationId, period)]);
    if (unpublished !== undefined) throw new Error(`The bus did not take ${REPORT_MADE_TYPE}: ${unpublished.reason}.`);
  };

  /**
   * Makes a report, unless it exists, its period is not over, its mark has expired, or there is nothing to report. Then
   * publishes that there is a report, at least once: even if an earlier attempt made it and left the mark.
   * @throws DomainError `store_unavailable`, or Error if erasures invalidated the report or the bus is down. It may be
   *   requested again.
   */
  return async ({ organizationId, kind, from }: ReportDue): Promise<RunSummary> => {
    const period = periodOf(kind, from);
    if (!isReportable(period, now())) return { isMade: false, isEarly: true };
    const requested = { scope: organizationKey(organizationId), period };
    // Read first: if an erasure deletes the report concurrently and marks it again, the new mark must stay.
    const mark = await due.read(requested);
    const isTooLate = mark !== undefined && mark.expiresAt <= now();
    const outcome = isTooLate
      ? "none"
      : (await reports.has(organizationId, period))
        ? "exists"
        : await make(organizationId, period);
    if (outcome === "made" || (outcome === "exists" && mark !== undefined)) await publish(organizationId, period);
    if (mark !== undefined) await due.clear(requested, mark);
    return { isMade: outcome === "made" };
  };
};
