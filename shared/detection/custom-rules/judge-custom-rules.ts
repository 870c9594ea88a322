/**
 * Judges an hour by an organization's own rules: one pass over the hour's facts for each rule, none over the store. Pure.
 * docs/rules.md, "How own rules count".
 */
import { definedFields } from "../../json/defined-fields.ts";
import { MAX_EVENT_IDS } from "../../security/alerts/alert.ts";
import { customRuleName, type Finding } from "../../security/alerts/finding.ts";
import { timeOfEventId } from "../../security/event-id.ts";
import { hourName, MINUTE_MS, startOfHour } from "../../terms/hours.ts";
import { userHash } from "../detection.ts";
import type { Fact } from "../evidence/fact.ts";
import type { Hour } from "../evidence/windows.ts";
import { listed } from "../rules/rule.ts";
import type { CarriedRule, CarriedRules, CarriedSilence, CarriedTrack } from "./carried-rule.ts";
import type { Definition } from "./custom-rule.ts";
import { createMatcher, createReadValue, distinctField, type ReadValue, weightOf } from "./match.ts";
import { carriedEntries, type Entry, largestWindow, scaleOf } from "./track.ts";

/** A rule as it judges. `changedAt`: since then its definition holds, epoch ms. */
export type JudgingRule = Definition & { id: string; revision: number; changedAt: number };

/** A rule follows this many groups in an hour, those with the most events; the others count together. */
const MAX_GROUPS = 200;
const OTHERS = "others";
const ORGANIZATION = "organization";

/** A rule carries about this many event ids, and of a group at most these many. */
const MAX_CARRIED_IDS = 200;
const MAX_CARRIED_IDS_OF_GROUP = 20;

export type CustomRulesInput = {
  /** The organization's partition. */
  scope: string;
  hour: Hour;
  /** Of the hour, in order of time. */
  facts: readonly Fact[];
  rules: readonly JudgingRule[];
  /** What judging the hour before returned; empty if it was not judged. */
  carried: CarriedRules;
  /** Since when the organization is connected, epoch ms; undefined if it is not. Read only if `needsConnection`. */
  connectedSince: number | undefined;
  /** Fewer in tests. */
  maxGroups?: number;
};

/** The findings of all rules, also of those of mode `dryRun`, by rule and subject. */
export type JudgedCustomRules = { findings: Finding[]; carried: CarriedRules };

/** Whether a rule counts anything: an erasure may have emptied a list of its filter. */
const isWhole = ({ filter }: JudgingRule): boolean =>
  Object.values(filter).every((value) => !Array.isArray(value) || value.length > 0);

/** The rules that judge an hour: windows begin with the hour of a rule's last change. */
export const rulesOfHour = <Rule extends JudgingRule>(rules: readonly Rule[], hour: Hour): Rule[] =>
  rules.filter((rule) => isWhole(rule) && hour.start >= startOfHour(rule.changedAt));

/** The start of the window of a rule with the condition `lt` that contains an hour. Windows are aligned to 00:00 UTC. */
const silenceStart = ({ windowMinutes }: Definition, hour: Hour): number =>
  Math.floor(hour.start / (windowMinutes * MINUTE_MS)) * windowMinutes * MINUTE_MS;

/** Whether a window of a number of minutes, aligned to 00:00 UTC, ends with an hour. */
export const endsWindow = (windowMinutes: number, hour: Hour): boolean => hour.end % (windowMinutes * MINUTE_MS) === 0;

/** Whether judging an hour needs to know since when the organization is connected. */
export const needsConnection = (rules: readonly JudgingRule[], hour: Hour): boolean =>
  rulesOfHour(rules, hour).some((rule) => "lt" in rule.condition && endsWindow(rule.windowMinutes, hour));

type Described = Pick<Finding, "subject" | "eventIds" | "evidence" | "firstSeen" | "lastSeen" | "message">;

const findingOf = ({ id, name, level, attack }: JudgingRule, hour: Hour, described: Described): Finding => ({
  rule: customRuleName(id),
  title: name,
  level,
  occurrence: hourName(hour.start),
  ...definedFields({ attack }),
  ...described,
});

const idsOf = (facts: readonly Fact[]): string[] => facts.map(({ id }) => id);

/** Judges by a rule with the condition `lt`. @param facts those that it counts. */
const judgeSilence = (
  rule: JudgingRule,
  lt: number,
  facts: readonly Fact[],
  { hour, connectedSince }: CustomRulesInput,
  before: CarriedSilence | undefined,
): { findings: Finding[]; silence: CarriedSilence | undefined } => {
  const start = silenceStart(rule, hour);
  const same = before?.start === start ? before : undefined;
  const events = facts.reduce((sum, fact) => sum + weightOf(fact), same?.events ?? 0);
  const eventIds = [...(same?.eventIds ?? []), ...idsOf(facts)].slice(-MAX_CARRIED_IDS_OF_GROUP);
  if (!endsWindow(rule.windowMinutes, hour)) return { findings: [], silence: { start, events, eventIds } };
  const isJudged = start >= rule.changedAt && connectedSince !== undefined && connectedSince <= start;
  if (!isJudged || events >= lt) return { findings: [], silence: undefined };
  const finding = findingOf(rule, hour, {
    subject: ORGANIZATION,
    message: `${events} events in ${rule.windowMinutes} minutes; the rule expects at least ${lt}.`,
    eventIds,
    evidence: { count: events, threshold: lt, windowMs: rule.windowMinutes * MINUTE_MS },
    firstSeen: start,
    lastSeen: hour.end,
  });
  return { findings: [finding], silence: undefined };
};

/** A group of an hour. `value`: what its facts have in common; missing for the others, and without `groupBy`. */
type Group = { subject: string; facts: Fact[]; events: number };

const groupsOf = (
  { groupBy }: JudgingRule,
  facts: readonly Fact[],
  readValue: ReadValue,
  hashOf: (value: string) => string,
): Map<string, Group> => {
  const groups = new Map<string, Group>();
  for (const fact of facts) {
    const value = groupBy && readValue(fact, groupBy);
    if (groupBy !== undefined && value === undefined) continue;
    const key = value === undefined ? ORGANIZATION : hashOf(value);
    const subject = value === undefined ? ORGANIZATION : `${groupBy}:${value}`;
    const group = groups.get(key) ?? { subject, facts: [], events: 0 };
    group.facts.push(fact);
    group.events += weightOf(fact);
    groups.set(key, group);
  }
  return groups;
};

/** The groups that are followed: those with the most events in the hour. Of equals, the hash decides. */
const followedOf = (
  groups: ReadonlyMap<string, Group>,
  carried: ReadonlyMap<string, CarriedTrack>,
  maxGroups: number,
): Set<string> => {
  const keys = new Set([...groups.keys(), ...carried.keys()]);
  keys.delete(OTHERS);
  if (keys.size <= maxGroups) return keys;
  const ranked = [...keys].map((key) => ({ key, events: groups.get(key)?.events ?? 0 }));
  ranked.sort((a, b) => b.events - a.events || (a.key < b.key ? -1 : 1));
  return new Set(ranked.slice(0, maxGroups).map(({ key }) => key));
};

const byPosition = (a: Entry, b: Entry): number => a.position - b.position;
const byTime = (a: Fact, b: Fact): number => a.at - b.at || (a.id < b.id ? -1 : 1);

/** One track of several groups that are not followed. */
const together = (tracks: readonly CarriedTrack[]): CarriedTrack => ({
  entries: tracks.flatMap(({ entries }) => entries).sort(byPosition),
  eventIds: tracks.flatMap(({ eventIds }) => eventIds).sort(),
});

const noTrack: CarriedTrack = { entries: [], eventIds: [] };

/** Judges by a rule with the condition `gte`. @param facts those that it counts. */
const judgeCounts = (
  rule: JudgingRule,
  gte: number,
  facts: readonly Fact[],
  { hour, maxGroups = MAX_GROUPS }: CustomRulesInput,
  {
    before,
    readValue,
    hashOf,
  }: { before: CarriedRule["tracks"]; readValue: ReadValue; hashOf: (value: string) => string },
): { findings: Finding[]; tracks: Map<string, CarriedTrack> } => {
  const { span, positionOf } = scaleOf(rule.windowMinutes);
  const distinct = distinctField(rule);
  const isDistinct = distinct !== undefined;
  const toEntry = (fact: Fact): Entry => {
    const position = positionOf(fact.at);
    if (distinct === undefined) return { position, weight: weightOf(fact) };
    return { position, weight: 1, value: hashOf(readValue(fact, distinct) ?? "") };
  };
  const inReach = ({ entries, eventIds }: CarriedTrack, end: number): CarriedTrack => ({
    entries: entries.filter(({ position }) => position > positionOf(end) - span),
    eventIds: eventIds.filter((id) => positionOf(timeOfEventId(id) ?? 0) > positionOf(end) - span),
  });

  const carried = new Map(
    [...before]
      .map(([key, track]) => [key, inReach(track, hour.start)] as const)
      .filter(([, { entries }]) => entries.length > 0),
  );
  const groups = groupsOf(rule, facts, readValue, hashOf);
  const followed = followedOf(groups, carried, maxGroups);
  const left = [...carried].filter(([key]) => !followed.has(key)).map(([, track]) => track);
  const leftFacts = [...groups].filter(([key]) => !followed.has(key)).flatMap(([, group]) => group.facts);
  const others = { subject: OTHERS, facts: leftFacts.sort(byTime), events: 0 };

  const findings: Finding[] = [];
  const tracks = new Map<string, CarriedTrack>();
  const idsOfGroup = Math.min(MAX_CARRIED_IDS_OF_GROUP, Math.max(1, Math.floor(MAX_CARRIED_IDS / (followed.size + 1))));
  const judgeGroup = (key: string, group: Group | undefined, track: CarriedTrack): void => {
    const own = group?.facts ?? [];
    const entries = [...track.entries, ...own.map(toEntry)];
    const firstOfHour = track.entries.length;
    const largest = group && largestWindow(entries, firstOfHour, { span, isDistinct });
    if (group !== undefined && largest !== undefined && largest.amount >= gte) {
      const inWindow = own.slice(Math.max(0, largest.from - firstOfHour), largest.to - firstOfHour + 1);
      const after = (entries[largest.to]?.position ?? 0) - span;
      const earlier = track.eventIds.filter((id) => positionOf(timeOfEventId(id) ?? 0) > after);
      const eventIds = [...earlier, ...idsOf(inWindow)].slice(-MAX_EVENT_IDS);
      const lastSeen = inWindow.at(-1)?.at ?? hour.start;
      findings.push(
        findingOf(rule, hour, {
          subject: group.subject,
          message: `${largest.amount} ${isDistinct ? "distinct values" : "events"} within ${rule.windowMinutes} minutes; the rule raises from ${gte} on.`,
          eventIds,
          evidence: {
            count: largest.amount,
            threshold: gte,
            windowMs: rule.windowMinutes * MINUTE_MS,
            ...(isDistinct && { distinct }),
            users: listed(inWindow.map(({ userId }) => userId)),
            addresses: listed(inWindow.map(({ ipAddress }) => ipAddress)),
          },
          firstSeen: Math.min(timeOfEventId(eventIds[0] ?? "") ?? lastSeen, lastSeen),
          lastSeen,
        }),
      );
    }
    const kept = carriedEntries(entries, { from: positionOf(hour.end) - span, threshold: gte, isDistinct });
    if (kept.length === 0) return;
    const newest = [...track.eventIds, ...idsOf(own.slice(-idsOfGroup))].slice(-idsOfGroup);
    tracks.set(key, { entries: kept, eventIds: inReach({ entries: [], eventIds: newest }, hour.end).eventIds });
  };
  for (const key of [...followed].sort()) judgeGroup(key, groups.get(key), carried.get(key) ?? noTrack);
  judgeGroup(OTHERS, others.facts.length > 0 ? others : undefined, together(left));
  return { findings, tracks };
};

/** Whether a fact has the fields that a rule counts by. */
const hasFields = (rule: JudgingRule, readValue: ReadValue) => {
  const fields = [rule.groupBy, distinctField(rule)].filter((field) => field !== undefined);
  return (fact: Fact): boolean => fields.every((field) => readValue(fact, field) !== undefined);
};

const orderOf = ({ rule, subject }: Finding): string => `${rule} ${subject}`;

/** Judges an hour by all own rules. The same facts give the same findings. */
export const judgeCustomRules = (input: CustomRulesInput): JudgedCustomRules => {
  const { scope, hour, facts, rules, carried } = input;
  const readValue = createReadValue();
  const hashes = new Map<string, string>();
  const hashOf = (value: string): string => {
    const hash = hashes.get(value) ?? userHash(scope, value);
    hashes.set(value, hash);
    return hash;
  };
  const findings: Finding[] = [];
  const carriedOn = new Map<string, CarriedRule>();
  for (const rule of rulesOfHour(rules, hour)) {
    const { id, revision, condition } = rule;
    const found = carried.get(id);
    const before = found?.revision === revision ? found : undefined;
    const matches = createMatcher(rule.filter);
    const isComplete = hasFields(rule, readValue);
    const counted = facts.filter((fact) => matches(fact) && isComplete(fact));
    if ("lt" in condition) {
      const judged = judgeSilence(rule, condition.lt, counted, input, before?.silence);
      findings.push(...judged.findings);
      if (judged.silence !== undefined) carriedOn.set(id, { revision, tracks: new Map(), silence: judged.silence });
    } else {
      const judged = judgeCounts(rule, condition.gte, counted, input, {
        before: before?.tracks ?? new Map(),
        readValue,
        hashOf,
      });
      findings.push(...judged.findings);
      if (judged.tracks.size > 0) carriedOn.set(id, { revision, tracks: judged.tracks });
    }
  }
  return { findings: findings.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)), carried: carriedOn };
};
