/** What schemas of reports are made of. */
import * as z from "zod/mini";
import { alertStatuses } from "../security/alerts/alert.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { reportKinds } from "./period.ts";

export const text = z.string();

export const described = (description: string) => z.string().register(z.globalRegistry, { description });

export const count = (description: string) =>
  z.number().register(z.globalRegistry, { description, override: { type: "integer", minimum: 0 } });

export const time = (description: string) =>
  z
    .number()
    .register(z.globalRegistry, { description: `Epoch milliseconds: ${description}`, override: { type: "integer" } });

export const durationMs = (description: string) =>
  z.number().register(z.globalRegistry, { description: `Milliseconds: ${description}`, override: { type: "number" } });

export const more = (what: string) => count(`How many ${what} there were besides, which the report has no room for.`);

export const reportEntryFields = {
  id: described("Its kind and its period's first day: `compliance-2026-11-21`."),
  kind: z.enum(reportKinds),
  from: time("the period's beginning, a UTC midnight, a Monday's for a review."),
  to: time("the period's end, exclusive."),
  createdAt: time("when the report was made."),
};

/** A number of each risk level. */
export const ByLevel = z.object({
  LOW: count("LOW"),
  MEDIUM: count("MEDIUM"),
  HIGH: count("HIGH"),
  CRITICAL: count("CRITICAL"),
});
export type ByLevel = z.output<typeof ByLevel>;

export const noneByLevel = (): ByLevel => ({ LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 });

export const ReportedAlert = z
  .object({
    id: text,
    rule: text,
    title: text,
    level: z.enum(riskLevels),
    subject: z.optional(described("Whom or what it is about; addresses are left out.")),
    status: z.enum(alertStatuses).register(z.globalRegistry, { description: "When the report was made." }),
    count: count("How often it was raised."),
    firstSeen: time("the first evidence."),
    lastSeen: time("the last evidence."),
    acknowledgedBy: z.optional(text),
    timeToAcknowledgeMs: z.optional(durationMs("from when it was raised until somebody acknowledged or resolved it.")),
  })
  .register(z.globalRegistry, { id: "ReportedAlert", description: "An alert as a report tells of it." });
export type ReportedAlert = z.output<typeof ReportedAlert>;

/** A number of reads of each kind, such as `invoices`. */
export const ByKind = z.record(z.string(), count("Minutes in which the user read this kind."));
