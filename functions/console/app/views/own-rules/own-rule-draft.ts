/** An own rule as the user types it: what it starts with, what is wrong, and the request that it becomes. Pure. */
import type { CustomRule, CustomRuleFilter, CustomRuleRequest } from "../../api/types.ts";
import { linesOf } from "../../words/lines.ts";
import { parseNetwork } from "../settings/networks.ts";

type Filter = CustomRuleRequest["filter"];
type Distinct = Exclude<CustomRuleRequest["measure"], string>["distinct"];

/** Lists of texts have one element in each line. */
export type OwnRuleDraft = {
  /** That of the rule when the changes began; 0 for a new one. */
  revision: number;
  name: string;
  level: CustomRuleRequest["level"];
  mode: CustomRuleRequest["mode"];
  eventTypes: readonly string[];
  categories: readonly string[];
  sources: readonly string[];
  levels: readonly string[];
  resourceTypes: readonly string[];
  success: "" | "true" | "false";
  userIds: string;
  networks: string;
  errorCodes: string;
  condition: "gte" | "lt";
  threshold: string;
  measure: "count" | Distinct;
  groupBy: NonNullable<CustomRuleRequest["groupBy"]> | "";
  windowMinutes: string;
  attack: string;
};

/** Windows to choose from, in minutes. Those of silence are whole hours. */
export const windows = [5, 10, 15, 30, 45, 60, 120, 180, 240, 360, 480, 720, 1_440] as const;

export const emptyDraft: OwnRuleDraft = {
  revision: 0,
  name: "",
  level: "MEDIUM",
  // Nobody is woken by a rule that was not tried.
  mode: "dryRun",
  eventTypes: [],
  categories: [],
  sources: [],
  levels: [],
  resourceTypes: [],
  success: "",
  userIds: "",
  networks: "",
  errorCodes: "",
  condition: "gte",
  threshold: "5",
  measure: "count",
  groupBy: "",
  windowMinutes: "60",
  attack: "",
};

const textOf = (values: readonly string[] | undefined): string => (values ?? []).join("\n");

/** The form with a rule's present values. */
export const draftOf = (rule: CustomRule): OwnRuleDraft => {
  const { filter, condition, measure, attack = [] } = rule;
  return {
    revision: rule.revision,
    name: rule.name,
    level: rule.level,
    mode: rule.mode,
    eventTypes: filter.eventTypes ?? [],
    categories: filter.categories ?? [],
    sources: filter.sources ?? [],
    levels: filter.levels ?? [],
    resourceTypes: filter.resourceTypes ?? [],
    success: filter.success === undefined ? "" : filter.success ? "true" : "false",
    userIds: textOf(filter.userIds),
    networks: textOf(filter.networks),
    errorCodes: textOf(filter.errorCodes),
    condition: "lt" in condition ? "lt" : "gte",
    threshold: String("lt" in condition ? condition.lt : condition.gte),
    measure: measure === "count" ? measure : measure.distinct,
    groupBy: rule.groupBy ?? "",
    windowMinutes: String(rule.windowMinutes),
    attack: attack.map(({ tactic, technique }) => `${tactic} ${technique}`).join("\n"),
  };
};

/** As the API bounds them. */
const MOST = { count: 10_000, distinct: 500, values: 50, attacks: 10 };
const ATTACK = /^TA\d{4} T\d{4}(?:\.\d{3})?$/;

/** The fields that the filter has; at least one is needed. */
const filterOf = (draft: OwnRuleDraft): CustomRuleFilter => {
  const lists = {
    eventTypes: draft.eventTypes,
    categories: draft.categories,
    sources: draft.sources,
    levels: draft.levels,
    resourceTypes: draft.resourceTypes,
    userIds: linesOf(draft.userIds),
    networks: linesOf(draft.networks),
    errorCodes: linesOf(draft.errorCodes),
  };
  const given = Object.entries(lists).filter(([, values]) => values.length > 0);
  return { ...Object.fromEntries(given), ...(draft.success !== "" && { success: draft.success === "true" }) };
};

/** A silence has no groups, and counts events. */
const measureOf = ({ condition, measure }: OwnRuleDraft): CustomRuleRequest["measure"] =>
  condition === "lt" || measure === "count" ? "count" : { distinct: measure };

const mostOf = (draft: OwnRuleDraft): number => (measureOf(draft) === "count" ? MOST.count : MOST.distinct);

const thresholdOf = (draft: OwnRuleDraft): number | undefined => {
  const value = /^\d{1,5}$/.test(draft.threshold.trim()) ? Number(draft.threshold) : 0;
  return value >= 1 && value <= mostOf(draft) ? value : undefined;
};

const attackOf = ({ attack }: OwnRuleDraft): NonNullable<CustomRuleRequest["attack"]> =>
  linesOf(attack).map((line) => {
    const [tactic = "", technique = ""] = line.split(" ");
    return { tactic, technique };
  });

export type OwnRuleProblems = Partial<
  Record<"name" | "filter" | "threshold" | "window" | "userIds" | "networks" | "errorCodes" | "attack", string>
>;

/** What is to be mended before the form can be sent; empty if nothing. */
export const problemsOf = (draft: OwnRuleDraft): OwnRuleProblems => {
  const tooMany = (text: string, most: number) => linesOf(text).length > most && `At most ${most} are possible.`;
  const firstWrong = (text: string, isRight: (line: string) => boolean, what: string) => {
    const wrong = linesOf(text).find((line) => !isRight(line));
    return wrong !== undefined && `${wrong} is no ${what}.`;
  };
  const problems: Record<keyof OwnRuleProblems, string | false> = {
    name: draft.name.trim() === "" && "Enter a name. It is the title of the rule's alerts.",
    filter: Object.keys(filterOf(draft)).length === 0 && "Say at least one thing that the events have in common.",
    threshold: thresholdOf(draft) === undefined && `Type a whole number from 1 to ${mostOf(draft)}.`,
    window: draft.condition === "lt" && Number(draft.windowMinutes) % 60 !== 0 && "Silence needs whole hours.",
    userIds:
      firstWrong(draft.userIds, (line) => !/\s/.test(line), "id of a user") || tooMany(draft.userIds, MOST.values),
    networks:
      firstWrong(draft.networks, (line) => "network" in parseNetwork(line), "network") ||
      tooMany(draft.networks, MOST.values),
    errorCodes: tooMany(draft.errorCodes, MOST.values),
    attack:
      firstWrong(draft.attack, (line) => ATTACK.test(line), "pair such as TA0006 T1110.001") ||
      tooMany(draft.attack, MOST.attacks),
  };
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== false));
};

/** The request of a draft without problems. */
export const requestOf = (draft: OwnRuleDraft): CustomRuleRequest => {
  const threshold = thresholdOf(draft) ?? 1;
  const attack = attackOf(draft);
  return {
    name: draft.name.trim(),
    level: draft.level,
    mode: draft.mode,
    filter: filterOf(draft) as Filter,
    measure: measureOf(draft),
    ...(draft.condition === "gte" && draft.groupBy !== "" && { groupBy: draft.groupBy }),
    windowMinutes: Number(draft.windowMinutes),
    condition: draft.condition === "lt" ? { lt: threshold } : { gte: threshold },
    ...(attack.length > 0 && { attack }),
  };
};
