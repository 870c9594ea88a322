/** The schema parts that both kinds of reports use. */
import * as z from "zod/mini";
import { count, epochMs } from "../json/number-fields.ts";
import { alertStatuses } from "../security/alerts/alert.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { reportKinds } from "./period.ts";

export const described = (description: string) => z.string().register(z.globalRegistry, { description });

export const durationMs = (description: string) =>
  z.number().register(z.globalRegistry, { description: `Milliseconds: ${description}`, override: { type: "number" } });

export const more = (items: string) => count(`How many more ${items} there were than the report lists.`);

export const reportEntryFields = {
  id: described("Its kind and its period's first day: `compliance-2026-11-21`."),
  kind: z.enum(reportKinds),
  from: epochMs("the period's beginning, a UTC midnight; of a review, a Monday's."),
  to: epochMs("the period's end, exclusive."),
  createdAt: epochMs("when the report was made."),
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
    id: z.string(),
    rule: z.string(),
    title: z.string(),
    level: z.enum(riskLevels),
    subject: z.optional(described("The user or component that it is about; addresses are left out.")),
    status: z.enum(alertStatuses).register(z.globalRegistry, { description: "When the report was made." }),
    count: count("How often it was raised."),
    firstSeen: epochMs("the first evidence."),
    lastSeen: epochMs("the last evidence."),
    acknowledgedBy: z.optional(z.string()),
    timeToAcknowledgeMs: z.optional(durationMs("from when it was raised until it was acknowledged or resolved.")),
  })
  .register(z.globalRegistry, { id: "ReportedAlert", description: "An alert in a report." });
export type ReportedAlert = z.output<typeof ReportedAlert>;
