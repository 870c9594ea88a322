/** How reports are read by clients: each read is recorded. */

import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { DataReadRecorder } from "../security/data-reads.ts";
import type { OrganizationCaller } from "../terms/caller.ts";
import type { Origin } from "../terms/requester.ts";
import { periodOfReportId } from "./period.ts";
import type { Report, ReportPosition } from "./report.ts";
import type { ReportListStore } from "./report-list-store.ts";
import type { ReportStore } from "./report-store.ts";

export type ReportReaderParts = {
  reports: Pick<ReportStore, "get"> & Pick<ReportListStore, "list">;
  reads: Pick<DataReadRecorder, "record">;
  now: Clock;
};

/** Who reads, and from where. */
type Reader = { caller: OrganizationCaller; origin: Origin };

export type ReportReader = ReturnType<typeof createReportReader>;

export const createReportReader = ({ reports, reads, now }: ReportReaderParts) => ({
  /**
   * A report of the reader's organization.
   * @throws DomainError `report_not_found`, the same for another organization's, one that has expired and what is no id.
   */
  async get(id: string, { caller, origin }: Reader): Promise<Report> {
    const period = periodOfReportId(id);
    const report = period && (await reports.get(caller.organizationId, period, now()));
    if (report === undefined) throw new DomainError("report_not_found", "There is no such report.");
    await reads.record({ caller, origin, kind: "report", resourceType: "report" });
    return report;
  },

  /** A page of the list of the reader's organization. */
  async list(page: { limit: number; after: ReportPosition | undefined }, { caller, origin }: Reader) {
    const found = await reports.list(caller.organizationId, { ...page, now: now() });
    await reads.record({ caller, origin, kind: "reports", resourceType: "report" });
    return found;
  },
});
