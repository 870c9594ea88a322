/** The bus event that says that a report was made. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { type Period, reportId, reportKinds } from "./period.ts";

export const REPORT_MADE_TYPE = "ReportMade";

/** `from` and `to` as the list of reports has them, epoch ms. A detail of the same version may only gain fields. */
export const ReportMade = z.object({
  version: z.literal(1),
  organizationId: z.string(),
  id: z.string(),
  kind: z.enum(reportKinds),
  from: z.int(),
  to: z.int(),
});
export type ReportMade = z.output<typeof ReportMade>;

/** It may be published twice, and again if the report is made again after an erasure. */
export const reportMade = (organizationId: string, period: Period): BusEvent & { detail: ReportMade } => ({
  source: EVENT_SOURCE,
  detailType: REPORT_MADE_TYPE,
  detail: { version: 1, organizationId, id: reportId(period), ...period },
});
