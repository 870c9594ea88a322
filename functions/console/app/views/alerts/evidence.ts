/** The evidence of a finding as facts. The rules of detection decide what it has; names of later versions are split into words. Pure. */
import { formatNumber, formatShare, inWords } from "../../words/format.ts";
import { type MetadataFact, metadataFacts } from "../events/metadata.ts";
import { ownOf } from "./words.ts";

/** Names of numbers, lists and texts. The thresholds come last: they explain the others. */
const names: Readonly<Record<string, string>> = {
  count: "Counted by the rule",
  expected: "Usual number",
  baselineRuns: "Syncs compared with",
  baselineHours: "Hours compared with",
  baselineCalls: "Calls compared with",
  meanMs: "Mean time of the last calls",
  baselineMs: "Usual time",
  operations: "Calls compared with",
  permission: "Permission",
  permissions: "Permissions denied",
  address: "From the address",
  addresses: "From the addresses",
  newAddresses: "New addresses",
  newResources: "New kinds of data",
  newErrors: "New errors",
  succeededFrom: "Succeeded from",
  users: "Users",
  reasons: "Reasons",
  reason: "Limit",
  requests: "Requests in all",
  share: "Share of requests",
  silentMs: "Without a successful sync for",
  lastSuccessAt: "Last successful sync",
  store: "Failures of the database",
  bus: "Failures of the event bus",
  actions: "What failed",
  runIds: "Syncs",
  windowMs: "Within",
  threshold: "An alert from",
  usersThreshold: "An alert from, in users",
  shareThreshold: "An alert above, as a share",
  leastMs: "An alert from, in time",
};

const order = Object.keys(names);
const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.indexOf("windowMs") - 0.5);

/** Thresholds of time and share stand behind values of the same kind. */
const shares = new Set(["share", "shareThreshold"]);

export type EvidenceFact = MetadataFact;

type StoryPart = { at: number; what: string };
const isStoryPart = (part: unknown): part is StoryPart =>
  typeof part === "object" && part !== null && "at" in part && typeof part.at === "number" && "what" in part;

/** Entries of the provider's log and events of our own, in order of time. */
const storyFacts = (story: readonly unknown[]): EvidenceFact[] =>
  story.filter(isStoryPart).map(({ at, what }) => ({ name: inWords(String(what)), value: { kind: "time", at } }));

/** @param evidence of an alert. */
export const evidenceFacts = (evidence: Readonly<Record<string, unknown>> = {}): EvidenceFact[] =>
  Object.entries(evidence)
    // One event is enough: that is no information.
    .filter(([key, value]) => !(key === "threshold" && value === 1) && !(Array.isArray(value) && value.length === 0))
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .flatMap(([key, value]): EvidenceFact[] => {
      if (key === "story" && Array.isArray(value)) return storyFacts(value);
      const name = ownOf(names, key);
      const text = (said: string): EvidenceFact[] => [{ name: name ?? key, value: { kind: "text", text: said } }];
      if (name !== undefined && typeof value === "number" && shares.has(key)) return text(formatShare(value));
      if (name !== undefined && typeof value === "number" && !/(Ms|At)$/.test(key)) return text(formatNumber(value));
      return metadataFacts({ [key]: value }).map((fact) => ({ ...fact, name: name ?? fact.name }));
    });
