/** The settings of a rule as the user types them: what is wrong, and the request that they become. Pure. */
import type { DetectionRule, DetectionRuleRequest } from "../../api/types.ts";
import { linesOf } from "../../words/lines.ts";
import { lineNotes, MOST_NETWORKS } from "../settings/networks.ts";

/** `revision`: that of the rule when the changes began. Lists have one element in each line. */
export type RuleDraft = {
  revision: number;
  enabled: boolean;
  level: NonNullable<DetectionRule["level"]> | "";
  thresholds: Readonly<Record<string, string>>;
  networks: string;
  users: string;
};

export const draftOf = ({ revision, enabled, level, thresholds, known }: DetectionRule): RuleDraft => ({
  revision,
  enabled,
  level: level ?? "",
  thresholds: Object.fromEntries(Object.entries(thresholds).map(([name, { value }]) => [name, String(value)])),
  networks: known.networks.join("\n"),
  users: known.users.join("\n"),
});

type Threshold = DetectionRule["thresholds"][string];

/** The value of a threshold; undefined if the text is none within its bounds. */
const numberOf = (text: string, { min, max }: Threshold): number | undefined => {
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
  return value !== undefined && value >= min && value <= max ? value : undefined;
};

export const hintOf = ({ default: byDefault, min, max, unit }: Threshold): string =>
  `${unit}: ${min} to ${max}, without a setting ${byDefault}.`;

/** The API accepts at most this many, with at most this many characters. */
const MOST_USERS = 100;
const LONGEST_USER = 128;

/** What is wrong, by the field. */
export type Mistakes = { thresholds: Readonly<Record<string, string>>; networks?: string; users?: string };

export const mistakesOf = ({ thresholds }: DetectionRule, draft: RuleDraft): Mistakes => {
  const wrong = Object.entries(thresholds).flatMap(([name, threshold]) =>
    numberOf(draft.thresholds[name] ?? "", threshold) === undefined
      ? [[name, `Type a whole number from ${threshold.min} to ${threshold.max}.`] as const]
      : [],
  );
  const line = lineNotes(draft.networks).find(({ isError }) => isError);
  const users = linesOf(draft.users);
  // Ids have no space, so a line that has one is a mistake.
  const badUser = users.find((user) => /\s/.test(user) || user.length > LONGEST_USER);
  const tooMany = (most: number) => `At most ${most} are possible.`;
  const networks =
    line === undefined
      ? linesOf(draft.networks).length > MOST_NETWORKS && tooMany(MOST_NETWORKS)
      : `${line.text}: ${line.note}`;
  const usersMistake =
    badUser === undefined ? users.length > MOST_USERS && tooMany(MOST_USERS) : `${badUser} is not the id of a user.`;
  return {
    thresholds: Object.fromEntries(wrong),
    ...(networks !== false && { networks }),
    ...(usersMistake !== false && { users: usersMistake }),
  };
};

export const hasMistakes = ({ thresholds, networks, users }: Mistakes): boolean =>
  Object.keys(thresholds).length > 0 || networks !== undefined || users !== undefined;

/** The request of a draft without mistakes. */
export const requestOf = ({ thresholds }: DetectionRule, draft: RuleDraft): DetectionRuleRequest => ({
  enabled: draft.enabled,
  ...(draft.level !== "" && { level: draft.level }),
  thresholds: Object.fromEntries(
    Object.entries(thresholds).map(([name, threshold]) => [
      name,
      numberOf(draft.thresholds[name] ?? "", threshold) ?? threshold.default,
    ]),
  ),
  known: { networks: linesOf(draft.networks), users: linesOf(draft.users) },
  revision: draft.revision,
});

/** What differs from a rule that nobody has changed, in few words. */
export const settingsInWords = ({ level, thresholds, known }: DetectionRule): string[] => {
  const changed = Object.values(thresholds).filter(({ value, default: byDefault }) => value !== byDefault).length;
  const count = (of: number, one: string): string[] => (of === 0 ? [] : [`${of} ${one}${of === 1 ? "" : "s"}`]);
  return [
    ...(level === undefined ? [] : [`level ${level.toLowerCase()}`]),
    ...count(changed, "changed threshold"),
    ...count(known.networks.length, "known network"),
    ...count(known.users.length, "known user"),
  ];
};
