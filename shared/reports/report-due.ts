/** The bus event that requests a report. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { reportKinds } from "./period.ts";

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
