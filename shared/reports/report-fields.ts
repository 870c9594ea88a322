/** The schema parts that both kinds of reports use. */
import * as z from "zod/mini";
import { count, epochMs } from "../json/number-fields.ts";
import { alertStatuses, resolutionCauses } from "../security/alerts/alert.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { reportKinds } from "./period.ts";
import { firstReviewFields } from "./report-review.ts";

export const described = (description: string) => z.string().register(z.globalRegistry, { description });

export const durationMs = (description: string) =>
  z.number().register(z.globalRegistry, { description: `Milliseconds: ${description}`, override: { type: "number" } });

export const more = (items: string) => count(`How many more ${items} there were than the report lists.`);

export const reportEntryFields = {
  id: described("Its kind and its period's first day, or its month: `compliance-2026-11-21`, `month-2026-11`."),
  kind: z.enum(reportKinds),
  from: epochMs("the period's beginning, a UTC midnight; of a review, a Monday's; of a month, its first day's."),
  to: epochMs("the period's end, exclusive."),
  createdAt: epochMs("when the report was made."),
  ...firstReviewFields,
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

/** How many alerts were resolved, by cause. */
export const ByCause = z
  .object({
    true_alarm: count("A real cause."),
    false_alarm: count("None."),
    test: count("A test."),
    none: count("The operator did not say."),
  })
  .register(z.globalRegistry, {
    description:
      "Alerts that were resolved in the period, by the cause that the operator said; absent in a report that an earlier version made.",
  });
export type ByCause = z.output<typeof ByCause>;

/** A report names at most this many events of an alert; the alert itself names up to 100. */
export const MAX_REPORTED_EVENTS = 10;

export const ReportedAlert = z
  .object({
    id: z.string(),
    href: z.optional(described("The alert's address in this API; absent in a report that an earlier version made.")),
    eventIds: z.optional(
      z.array(z.string()).register(z.globalRegistry, {
        description: `Its newest events, ${MAX_REPORTED_EVENTS} at most, newest first; absent in a report that an earlier version made.`,
        override: { maxItems: MAX_REPORTED_EVENTS },
      }),
    ),
    rule: z.string(),
    title: z.string(),
    level: z.enum(riskLevels),
    subject: z.optional(described("The user or component that it is about; addresses are left out.")),
    status: z.enum(alertStatuses).register(z.globalRegistry, { description: "When the report was made." }),
    count: count("How often it was raised."),
    firstSeen: epochMs("the first evidence."),
    lastSeen: epochMs("the last evidence."),
    cause: z.optional(
      z.enum(resolutionCauses).register(z.globalRegistry, { description: "What it turned out to be." }),
    ),
    acknowledgedBy: z.optional(z.string()),
    assignee: z.optional(described("The user who looks after it.")),
    comments: z.optional(count("Comments of operators; the alert's history has them.")),
    timeToAcknowledgeMs: z.optional(durationMs("from when it was raised until it was acknowledged or resolved.")),
  })
  .register(z.globalRegistry, { id: "ReportedAlert", description: "An alert in a report." });
export type ReportedAlert = z.output<typeof ReportedAlert>;
