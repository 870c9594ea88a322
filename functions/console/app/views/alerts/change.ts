/** Changes of alerts: what the list shows before the service has answered, and what it says afterwards. Pure. */
import type { Alert, AlertActionResult } from "../../api/types.ts";
import { isOrAre, plural } from "../../words/format.ts";

export type AlertChange =
  | { action: "acknowledge" }
  | { action: "resolve"; cause?: NonNullable<Alert["cause"]> }
  | { action: "reopen" }
  /** To a user, or to no user. */
  | { action: "assign"; assignee: string | null };

/** An alert that was resolved has lost what was decided about it. */
const reopened = <A extends Alert>(alert: A, { by, at }: { by: string; at: number }): A => {
  if (alert.status !== "resolved") return alert;
  const next: A = { ...alert, status: "open", reopenedAt: at, reopenedBy: by, reopenings: (alert.reopenings ?? 0) + 1 };
  for (const name of ["acknowledgedAt", "acknowledgedBy", "resolvedAt", "resolvedBy", "cause"] as const) {
    delete next[name];
  }
  return next;
};

/** The alert as it is expected after the change. @param at epoch ms. */
export const changed = <A extends Alert>(alert: A, change: AlertChange, { by, at }: { by: string; at: number }): A => {
  if (change.action === "reopen") return reopened(alert, { by, at });
  if (alert.status === "resolved") return alert;
  switch (change.action) {
    case "acknowledge":
      return alert.status === "open"
        ? { ...alert, status: "acknowledged", acknowledgedAt: at, acknowledgedBy: by }
        : alert;
    case "resolve":
      return {
        ...alert,
        status: "resolved",
        resolvedAt: at,
        resolvedBy: by,
        ...(change.cause !== undefined && { cause: change.cause }),
      };
    case "assign": {
      const next = { ...alert, assignedAt: at, assignedBy: by };
      if (change.assignee === null) delete next.assignee;
      else next.assignee = change.assignee;
      return next;
    }
  }
};

/** Whether the change does anything, as far as the console knows. */
export const isChangedBy = (alert: Alert, change: AlertChange): boolean =>
  change.action === "reopen"
    ? alert.status === "resolved"
    : alert.status !== "resolved" &&
      (change.action === "assign"
        ? (alert.assignee ?? null) !== change.assignee
        : change.action === "resolve" || alert.status === "open");

/** The ids of an answer by what became of them. */
export const outcomeOf = (
  result: AlertActionResult,
): { changed: string[]; unchanged: string[]; notFound: string[] } => {
  switch (result.action) {
    case "acknowledge":
      return { ...result, changed: result.acknowledged };
    case "resolve":
      return { ...result, changed: result.resolved };
    case "reopen":
      return { ...result, changed: result.reopened };
    case "assign":
      return { ...result, changed: result.assigned };
    default:
      return { changed: [], unchanged: [], notFound: [] };
  }
};

const count = (ids: readonly string[]): string => plural(ids.length, "alert");
const was = (ids: readonly string[]): string => (ids.length === 1 ? "was" : "were");

const done = (change: AlertChange): string => {
  if (change.action === "acknowledge") return "acknowledged";
  if (change.action === "resolve") return "resolved";
  if (change.action === "reopen") return "open again";
  return change.assignee === null ? "no longer assigned" : `assigned to ${change.assignee}`;
};

/** What became of the alerts, for the user. */
export const outcomeText = (change: AlertChange, result: AlertActionResult): string => {
  const { changed: now, unchanged, notFound } = outcomeOf(result);
  const before =
    change.action === "reopen"
      ? `${isOrAre(unchanged.length)} not resolved, or opened again too often.`
      : change.action === "resolve"
        ? `${was(unchanged)} resolved by somebody else before.`
        : change.action === "acknowledge"
          ? `${was(unchanged)} acknowledged or resolved by somebody else before.`
          : `${isOrAre(unchanged.length)} unchanged: assigned like that already, or resolved.`;
  return [
    now.length > 0 && `${count(now)} ${isOrAre(now.length)} ${done(change)}.`,
    unchanged.length > 0 && `${count(unchanged)} ${before}`,
    notFound.length > 0 && `${count(notFound)} ${was(notFound)} not found: expired, or erased.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(" ");
};

/** What could not be done, if the request failed. */
export const failureText = (change: AlertChange, alerts: readonly Alert[]): string => {
  const which = alerts.length === 1 ? `“${alerts[0]?.title}”` : plural(alerts.length, "alert");
  const what = { assign: "assigned", reopen: "opened again" } as const;
  const verb = change.action === "assign" || change.action === "reopen" ? what[change.action] : done(change);
  return `${which} could not be ${verb}. The change was taken back.`;
};
