/** Which alerts the list shows, and in which order. Pure. */
import type { Alert } from "../../api/types.ts";
import { levels } from "../../words/levels.ts";
import { ruleName, subjectOf } from "./words.ts";

/** `unresolved`, the default, is open and acknowledged. */
export const statusChoices = ["unresolved", "open", "acknowledged", "resolved", "all"] as const;
export type StatusChoice = (typeof statusChoices)[number];

/** The filters of the address. `assignee` is "mine", or else a user's id; `q` is searched for in the texts. */
export type Wanted = Partial<Record<"status" | "level" | "rule" | "assignee" | "q", string | undefined>>;

export const statusChoiceOf = ({ status }: Wanted): StatusChoice =>
  statusChoices.find((choice) => choice === status) ?? "unresolved";

/** Whether a filter other than the status is set. */
export const isNarrowed = ({ level, rule, assignee, q }: Wanted): boolean =>
  [level, rule, assignee, q].some((value) => value !== undefined && value !== "");

const hasStatus = (choice: StatusChoice, { status }: Alert): boolean =>
  choice === "all" || (choice === "unresolved" ? status !== "resolved" : status === choice);

const textsOf = (alert: Alert): string =>
  [
    alert.title,
    alert.message,
    ruleName(alert.rule),
    alert.rule,
    subjectOf(alert)?.text,
    alert.subject,
    alert.assignee,
    alert.id,
  ]
    .filter((text) => text !== undefined)
    .join("\n")
    .toLowerCase();

/** Whether an alert passes the filters. @param me the user that "mine" means. */
export const matches = (alert: Alert, wanted: Wanted, me: string): boolean => {
  const { level = "", rule = "", assignee = "", q = "" } = wanted;
  if (!hasStatus(statusChoiceOf(wanted), alert)) return false;
  if (level !== "" && alert.level !== level) return false;
  if (rule !== "" && alert.rule !== rule) return false;
  if (assignee !== "" && alert.assignee !== (assignee === "mine" ? me : assignee)) return false;
  const texts = textsOf(alert);
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => texts.includes(word));
};

const statuses = ["open", "acknowledged", "resolved"] as const satisfies readonly Alert["status"][];

/**
 * In order of triage: open alerts before acknowledged ones, then by level, then the newest first.
 * @param statusOf the status that counts. The list takes the first one that it saw, so that no row moves away from the
 *   user who acknowledges it.
 */
export const inTriageOrder = (alerts: readonly Alert[], statusOf: (alert: Alert) => Alert["status"]): Alert[] =>
  alerts.toSorted(
    (one, other) =>
      statuses.indexOf(statusOf(one)) - statuses.indexOf(statusOf(other)) ||
      levels.indexOf(one.level) - levels.indexOf(other.level) ||
      other.firstSeen - one.firstSeen ||
      (one.id < other.id ? 1 : -1),
  );

/** One request changes at most this many alerts. */
export const MOST_SELECTED = 100;

/**
 * The selection after a click on a checkbox. With the shift key, all rows between the last click and this one become as
 * this one. @param ids of the rows, in their order.
 */
export const select = (
  selected: ReadonlySet<string>,
  ids: readonly string[],
  click: { id: string; last: string | undefined; isRange: boolean },
): ReadonlySet<string> => {
  const isOn = !selected.has(click.id);
  const [from, to] = [ids.indexOf(click.isRange ? (click.last ?? click.id) : click.id), ids.indexOf(click.id)];
  const range = from === -1 ? [click.id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  const next = new Set(selected);
  for (const id of range) {
    if (!isOn) next.delete(id);
    else if (next.size < MOST_SELECTED) next.add(id);
  }
  return next;
};
