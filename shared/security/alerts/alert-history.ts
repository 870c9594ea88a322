/** What happened to an alert. It keeps its first and its newest occurrence, but each decision and comment. */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { epochMs, integer } from "../../json/number-fields.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { Alert, alertChanges, type ResolutionCause, resolutionCauses } from "./alert.ts";
import { timeOfAlertId } from "./alert-item.ts";
import type { StoredNote } from "./alert-note.ts";
import type { AlertNoteStore } from "./alert-note-store.ts";
import type { AlertStore } from "./alert-store.ts";

const HistoryEntry = z
  .object({
    change: z.enum(alertChanges),
    at: epochMs(),
    by: z.optional(
      z.string().register(z.globalRegistry, {
        description:
          "The user who acknowledged, assigned, resolved or reopened it, or commented on it; absent if erased.",
      }),
    ),
    count: z.optional(integer("How often the alert was raised until then.")),
    level: z.optional(z.enum(riskLevels)),
    assignee: z.optional(
      z.nullable(z.string()).register(z.globalRegistry, {
        description: "Of an assignment: the user, or null if it was taken away; absent if the user was erased.",
      }),
    ),
    text: z.optional(z.string().register(z.globalRegistry, { description: "Of a comment." })),
    cause: z.optional(
      z.enum(resolutionCauses).register(z.globalRegistry, { description: "Of a resolution, if the operator said it." }),
    ),
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
  said: { by: string | undefined; cause?: ResolutionCause | undefined },
): HistoryEntry[] => (at === undefined ? [] : [{ change, at, ...definedFields(said) }]);

const noted = ({ change, at, cause, note: { id: _, ...said } }: StoredNote): HistoryEntry => ({
  change,
  at,
  ...said,
  ...definedFields({ cause }),
});

/** @param notes oldest first. */
const withHistory = (alert: Alert, notes: readonly StoredNote[]): AlertWithHistory => {
  const { id, count, level, firstSeen, lastSeen, acknowledgedAt, acknowledgedBy, resolvedAt, resolvedBy } = alert;
  const { cause } = alert;
  const raisedAt = timeOfAlertId(id) ?? firstSeen;
  const later: HistoryEntry[] = [
    ...(count > 1 ? [{ change: "repeated" as const, at: Math.max(lastSeen, raisedAt), count, level }] : []),
    ...decided("acknowledged", acknowledgedAt, { by: acknowledgedBy }),
    ...notes.map(noted),
    ...decided("resolved", resolvedAt, { by: resolvedBy, cause }),
  ];
  const raised: HistoryEntry = { change: "raised", at: raisedAt, count: 1, ...(count === 1 && { level }) };
  return { ...alert, history: [raised, ...later.sort((one, other) => one.at - other.at)] };
};

/**
 * An alert with its history. Reads its notes, if it has any.
 * @throws DomainError `store_unavailable`.
 */
export const addHistory = async (
  notes: Pick<AlertNoteStore, "list">,
  organizationId: string,
  alert: Alert,
): Promise<AlertWithHistory> => {
  const { assignedAt, comments, reopenings } = alert;
  const hasNotes = [assignedAt, comments, reopenings].some((one) => one !== undefined);
  return withHistory(alert, hasNotes ? await notes.list(organizationId, alert.id) : []);
};

type Dependencies = { alerts: Pick<AlertStore, "get">; notes: Pick<AlertNoteStore, "list"> };

/**
 * An organization's alert with its history.
 * @param now epoch ms.
 * @throws DomainError `alert_not_found` if it is unknown or expired, `store_unavailable`.
 */
export const readAlertWithHistory = async (
  { alerts, notes }: Dependencies,
  organizationId: string,
  id: string,
  now: number,
): Promise<AlertWithHistory> => addHistory(notes, organizationId, await alerts.get(organizationId, id, now));
