/** Returns reports to clients, and records each read. */
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { DataReadRecorder } from "../security/data-reads.ts";
import type { UserRequest } from "../terms/requester.ts";
import { periodOfReportId } from "./period.ts";
import type { Report, ReportPosition } from "./report.ts";
import type { ReportStore } from "./report-store.ts";

export type ReportReaderDependencies = {
  reports: Pick<ReportStore, "get" | "list">;
  reads: Pick<DataReadRecorder, "record">;
  now: Clock;
};

export type ReportReader = ReturnType<typeof createReportReader>;

export const createReportReader = ({ reports, reads, now }: ReportReaderDependencies) => ({
  /**
   * A report of the reader's organization.
   * @param kind the kind of the recorded read.
   * @throws DomainError `report_not_found` for an unknown or invalid id, another organization's report or an expired one.
   */
  async get(id: string, { caller, origin }: UserRequest, kind = "report"): Promise<Report> {
    const period = periodOfReportId(id);
    const report = period && (await reports.get(caller.organizationId, period, now()));
    if (report === undefined) throw new DomainError("report_not_found", "There is no such report.");
    await reads.record({ caller, origin, kind, resourceType: "report" });
    return report;
  },

  /** A page of the reports of the reader's organization. */
  async list(
    page: { limit: number; after: ReportPosition | undefined; isReviewed?: boolean | undefined },
    { caller, origin }: UserRequest,
  ) {
    const found = await reports.list(caller.organizationId, { ...page, now: now() });
    await reads.record({ caller, origin, kind: "reports", resourceType: "report" });
    return found;
  },
});
