/** A preview in words: what a change would have done. Pure. docs/rules.md, "Previews". */
import type { Preview, PreviewResult } from "../../api/types.ts";
import { formatNumber, formatUtcDay, plural } from "../../words/format.ts";
import { levelNames, levels } from "../../words/levels.ts";

const DAY = 24 * 60 * 60_000;

export const isUnderWay = ({ status }: Pick<Preview, "status">): boolean => status === "queued" || status === "running";

/** Such as "3 instead of 11", or "11, as now". */
const instead = (then: number, now: number): string =>
  then === now ? `${formatNumber(now)}, as now` : `${formatNumber(then)} instead of ${formatNumber(now)}`;

/** What changes, number by number. */
export const comparison = ({ now, then }: Pick<PreviewResult, "now" | "then">): [name: string, text: string][] => [
  ["Findings", instead(then.alerts, now.alerts)],
  ...levels.flatMap((level): [string, string][] => {
    const [before, after] = [now.byLevel[level] ?? 0, then.byLevel[level] ?? 0];
    return before === 0 && after === 0 ? [] : [[`Of level ${levelNames[level].toLowerCase()}`, instead(after, before)]];
  }),
  ["Notifications", instead(then.notifications, now.notifications)],
  ["At night (22:00 to 07:00 UTC)", instead(then.atNight, now.atNight)],
];

const phrase = (then: number, now: number, noun: string): string =>
  then === now ? `${plural(now, noun)} as now` : `${instead(then, now)} ${noun}s`;

/** The result in a sentence. */
export const summary = ({ now, then, added, removed }: PreviewResult): string =>
  added.length === 0 && removed.length === 0 && now.notifications === then.notifications
    ? "It would have changed nothing."
    : `It would have made ${phrase(then.alerts, now.alerts, "finding")}, and sent ${phrase(then.notifications, now.notifications, "notification")}.`;

/** The days of the period as columns: the findings now, and those with the change. */
export const dayColumns = ({ from, to, now, then }: PreviewResult) => {
  const first = Math.floor(from / DAY);
  return Array.from({ length: Math.max(0, Math.ceil(to / DAY) - first) }, (_, index) => {
    const at = (first + index) * DAY;
    const day = new Date(at).toISOString().slice(0, 10);
    const label = formatUtcDay(at);
    return { name: `${label} (UTC)`, label, total: now.byDay[day] ?? 0, bad: then.byDay[day] ?? 0 };
  });
};
