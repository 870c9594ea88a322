/**
 * How a report comes about: once for its period, from what there is of it when it is over. Whoever dies on the way leaves the
 * mark, so that the next dispatch asks again. docs/reports.md.
 */
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { Clock } from "../runtime/clock.ts";
import type { RunSummary } from "../runtime/create-scheduled-handler.ts";
import { GRACE_MS } from "../security/statistics/close-hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { buildComplianceReport, type ComplianceInput } from "./build-compliance-report.ts";
import { buildReviewReport, type ReviewInput } from "./build-review-report.ts";
import { type Period, periodOf } from "./period.ts";
import type { Report } from "./report.ts";
import type { ReportDue } from "./report-due.ts";
import type { ReportDueStore } from "./report-due-store.ts";
import type { ReportStore } from "./report-store.ts";

type Collect<Input> = (organizationId: string, period: Period, now: number) => Promise<Input>;

export type ReportMakerParts = {
  reports: Pick<ReportStore, "has" | "put" | "erasedTimes">;
  due: Pick<ReportDueStore, "read" | "clear">;
  connections: Pick<ConnectionStore, "read">;
  collectCompliance: Collect<ComplianceInput>;
  collectReview: Collect<ReviewInput>;
  now: Clock;
};

/** A report that is overtaken by erasures so often is left to the next dispatch. */
const ATTEMPTS = 3;

/** Whether a period is over, and what happened in it has been stored. @param now epoch ms. */
export const isReportable = ({ to }: Period, now: number): boolean => to + GRACE_MS <= now;

export const createReportMaker = (parts: ReportMakerParts) => {
  const { reports, due, connections, collectCompliance, collectReview, now } = parts;

  /** Whether the organization was connected in a period; one that was and is not any more has an event of it. */
  const wasConnected = async (organizationId: string, { to }: Period): Promise<boolean> => {
    const connection = await connections.read(organizationId);
    return connection.status !== "disconnected" && connection.connectedAt < to;
  };

  /** @returns undefined where there is nothing to report: neither an event, nor a run, nor a connection. */
  const build = async (organizationId: string, period: Period): Promise<Report | undefined> => {
    if (period.kind === "compliance") {
      const input = await collectCompliance(organizationId, period, now());
      const isEmpty = input.day.events.total === 0 && input.runs.length === 0;
      return isEmpty && !(await wasConnected(organizationId, period)) ? undefined : buildComplianceReport(input);
    }
    const input = await collectReview(organizationId, period, now());
    const isOfWeek = (time: number) => time >= period.from;
    const isEmpty = ![...input.days.keys()].some(isOfWeek) && !input.runs.some((run) => isOfWeek(run.startedAt));
    return isEmpty && !(await wasConnected(organizationId, period)) ? undefined : buildReviewReport(input);
  };

  const make = async (organizationId: string, period: Period): Promise<"made" | "none"> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const erasedTimes = await reports.erasedTimes(organizationId);
      const report = await build(organizationId, period);
      if (report === undefined) return "none";
      const result = await reports.put(organizationId, report, erasedTimes);
      if (result !== "erased") return result === "stored" ? "made" : "none";
    }
    throw new Error("Erasures overtook the report; the next dispatch asks for it again.");
  };

  /**
   * Makes a report, unless it is there, its period is not over, its mark has expired, or there is nothing to report.
   * @throws DomainError `store_unavailable`, or Error where erasures overtook it: it may be asked for again.
   */
  return async ({ organizationId, kind, from }: ReportDue): Promise<RunSummary> => {
    const period = periodOf(kind, from);
    if (!isReportable(period, now())) return { isMade: false, isEarly: true };
    const asked = { scope: organizationKey(organizationId), period };
    // Before anything else: where an erasure takes the report away meanwhile and marks it anew, that mark stays.
    const mark = await due.read(asked);
    const isTooLate = mark !== undefined && mark.expiresAt <= now();
    const isWanted = !isTooLate && !(await reports.has(organizationId, period));
    const outcome = isWanted ? await make(organizationId, period) : "none";
    if (mark !== undefined) await due.clear(asked, mark);
    return { isMade: outcome === "made" };
  };
};

export type ReportMaker = ReturnType<typeof createReportMaker>;
