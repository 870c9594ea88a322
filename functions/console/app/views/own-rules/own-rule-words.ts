/** Own rules in plain words. Pure. docs/rules.md, "Own rules". */
import type { CustomRule, CustomRuleRequest } from "../../api/types.ts";
import { addressBelow } from "../../words/address.ts";
import { formatNumber, inWords, plural } from "../../words/format.ts";

export const OWN_RULES_PATH = "/console/own-rules";

/** The name of its alerts' rule in the API is `custom_` and this. */
export const ownRuleAddress = (id: string): string => addressBelow(OWN_RULES_PATH, id);

export const groupNames: Readonly<Record<NonNullable<CustomRule["groupBy"]>, string>> = {
  userId: "user",
  ipAddress: "address",
  resource: "resource",
  resourceType: "kind of resource",
};

export const measureNames = {
  count: "events",
  userId: "different users",
  ipAddress: "different addresses",
  resource: "different resources",
} as const;

/** Such as "15 minutes", "1 hour" or "1 day". */
export const windowInWords = (minutes: number): string => {
  if (minutes % 1_440 === 0) return plural(minutes / 1_440, "day");
  return minutes % 60 === 0 ? plural(minutes / 60, "hour") : plural(minutes, "minute");
};

const MOST_NAMED = 3;

const listed = (values: readonly string[], name: (value: string) => string): string => {
  const named = values.slice(0, MOST_NAMED).map(name).join(" or ");
  return values.length > MOST_NAMED ? `${named} or ${formatNumber(values.length - MOST_NAMED)} more` : named;
};

const filterParts: Readonly<Record<string, (values: readonly string[]) => string>> = {
  eventTypes: (values) => listed(values, inWords),
  categories: (values) => `category ${listed(values, inWords)}`,
  sources: (values) => `caused by ${listed(values, (source) => sourceNames[source] ?? source)}`,
  levels: (values) => `level ${listed(values, inWords)}`,
  resourceTypes: (values) => `about ${listed(values, inWords)}`,
  userIds: (values) => `user ${listed(values, String)}`,
  networks: (values) => `from ${listed(values, String)}`,
  errorCodes: (values) => `error ${listed(values, String)}`,
};

const sourceNames: Readonly<Record<string, string>> = {
  user: "a user",
  system: "the service",
  webhook: "the provider",
  provider: "the provider’s log",
};

/** Which events count: "Permission denied; failed; user eve". An empty list, which an erasure leaves, matches none. */
export const filterInWords = (filter: CustomRule["filter"]): string => {
  const { success, ...lists } = filter;
  if (Object.values(lists).some((values) => values?.length === 0)) return "no events: the user was erased";
  const parts = Object.entries(lists).map(([name, values]) => filterParts[name]?.(values ?? []) ?? name);
  return [...parts, ...(success === undefined ? [] : [success ? "succeeded" : "failed"])].join("; ");
};

type Described = Pick<CustomRuleRequest, "condition" | "measure" | "groupBy" | "windowMinutes"> & {
  filter: CustomRule["filter"];
};

const noneOrFewer = (count: number): string => (count === 1 ? "No" : `Fewer than ${formatNumber(count)}`);

/** When the rule raises an alert: "No events within 12 hours (Provider sync completed)". */
export const ruleInWords = ({ condition, measure, groupBy, windowMinutes, filter }: Described): string => {
  const counted = measureNames[measure === "count" ? measure : measure.distinct];
  const group = groupBy === undefined ? "" : ` of one ${groupNames[groupBy]}`;
  const bound = "gte" in condition ? `${formatNumber(condition.gte)} or more` : noneOrFewer(condition.lt);
  return `${bound} ${counted}${group} within ${windowInWords(windowMinutes)} (${filterInWords(filter)})`;
};
