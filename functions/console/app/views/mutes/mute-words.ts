/** Mutes in words. Pure. docs/rules.md, "Mutes". */
import type { Mute } from "../../api/types.ts";
import { addressBelow, addressOf } from "../../words/address.ts";
import { formatNumber, inWords, plural, type Tone } from "../../words/format.ts";
import { levelNames, levels } from "../../words/levels.ts";
import { zoneName } from "../../words/local-time.ts";
import { ruleName, subjectOf } from "../alerts/words.ts";
import type { Given } from "./mute-draft.ts";

export const MUTES_PATH = "/console/mutes";

export const muteAddress = (id: string): string => addressBelow(MUTES_PATH, id);

/** The form of a mute, filled in. */
export const newMuteAddress = (given: Given): string => addressOf(`${MUTES_PATH}/new`, given);

export const states: Readonly<Record<Mute["state"], { name: string; tone: Tone }>> = {
  planned: { name: "Planned", tone: "accent" },
  active: { name: "Active", tone: "warn" },
  ended: { name: "Ended", tone: "quiet" },
};

const MOST_NAMED = 3;

/** Which alerts it is about: "Repeated authentication failures: Address 192.0.2.1". @param nameOf names a rule */
export const titleOf = ({ rules, subject }: Pick<Mute, "rules" | "subject">, nameOf = ruleName): string => {
  const rule = rules?.[0];
  if (rules === undefined || rule === undefined) return "Alerts of all rules";
  if (subject !== undefined) return `${nameOf(rule)}: ${subjectOf({ rule, subject })?.text ?? subject}`;
  const rest = rules.length - MOST_NAMED;
  const named = rules.slice(0, MOST_NAMED).map(nameOf).join(", ");
  return rest > 0 ? `${named} and ${plural(rest, "more rule")}` : named;
};

/** Such as "Low, Medium". */
export const levelsInWords = ({ levels: own, includeCritical }: Pick<Mute, "levels" | "includeCritical">): string =>
  levels
    .filter((level) => own?.includes(level) ?? (includeCritical || level !== "CRITICAL"))
    .map((level) => levelNames[level])
    .reverse()
    .join(", ");

/** Undefined if it acts all the time until its end. */
export const weeklyInWords = ({ weekly }: Pick<Mute, "weekly">): string | undefined =>
  weekly &&
  `${weekly.days.map(inWords).join(", ")}, from ${weekly.from} to ${weekly.to}${weekly.to < weekly.from ? " of the next day" : ""}, ${zoneName(weekly.timeZone)}`;

/** Such as "7 alerts (5 high, 2 low), 14 notifications not sent". */
export const hiddenInWords = ({ alerts, notifications, byLevel }: Mute["hidden"]): string => {
  if (alerts === 0) return "Nothing so far";
  const counts = levels.flatMap((level) =>
    (byLevel[level] ?? 0) > 0 ? [`${formatNumber(byLevel[level] ?? 0)} ${levelNames[level].toLowerCase()}`] : [],
  );
  return `${plural(alerts, "alert")} (${counts.join(", ")}), ${plural(notifications, "notification")} not sent`;
};
