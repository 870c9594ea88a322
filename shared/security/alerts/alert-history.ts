/** What happened to an alert. An alert keeps its first and its newest occurrence, not each one. Pure. */
import * as z from "zod/mini";
import { epochMs, integer } from "../../json/number-fields.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { Alert, alertChanges } from "./alert.ts";
import { timeOfAlertId } from "./alert-item.ts";

const HistoryEntry = z
  .object({
    change: z.enum(alertChanges),
    at: epochMs(),
    by: z.optional(z.string().register(z.globalRegistry, { description: "The user who acknowledged or resolved it." })),
    count: z.optional(integer("How often the alert was raised until then.")),
    level: z.optional(z.enum(riskLevels)),
  })
  .register(z.globalRegistry, {
    id: "AlertHistoryEntry",
    description: "A change of an alert. All repetitions are one entry: the newest, with the time of its evidence.",
  });
type HistoryEntry = z.output<typeof HistoryEntry>;

export const AlertWithHistory = z
  .extend(Alert, { history: z.array(HistoryEntry) })
  .register(z.globalRegistry, { id: "AlertWithHistory", description: "An alert, and its changes, oldest first." });
type AlertWithHistory = z.output<typeof AlertWithHistory>;

const decided = (
  change: "acknowledged" | "resolved",
  at: number | undefined,
  by: string | undefined,
): HistoryEntry[] => (at === undefined ? [] : [{ change, at, ...(by !== undefined && { by }) }]);

export const withHistory = (alert: Alert): AlertWithHistory => {
  const { id, count, level, firstSeen, lastSeen, acknowledgedAt, acknowledgedBy, resolvedAt, resolvedBy } = alert;
  const raisedAt = timeOfAlertId(id) ?? firstSeen;
  const later: HistoryEntry[] = [
    ...(count > 1 ? [{ change: "repeated" as const, at: Math.max(lastSeen, raisedAt), count, level }] : []),
    ...decided("acknowledged", acknowledgedAt, acknowledgedBy),
    ...decided("resolved", resolvedAt, resolvedBy),
  ];
  const raised: HistoryEntry = { change: "raised", at: raisedAt, count: 1, ...(count === 1 && { level }) };
  return { ...alert, history: [raised, ...later.sort((one, other) => one.at - other.at)] };
};
