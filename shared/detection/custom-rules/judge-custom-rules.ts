/**
 * Judges an hour by an organization's own rules: one pass over the hour's facts for each rule, none over the store. Pure.
 * docs/rules.md, "How own rules count".
 */
import { type ConnectedSpan, isConnectedThroughout } from "../../connection/connected-spans.ts";
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
import { type Columns, createColumns, distinctField, matching, NO_VALUE, weightOf } from "./match.ts";
import { carriedEntries, type Entry, largestWindow, type Series, scaleOf } from "./track.ts";

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
  /** When the organization was connected. Read only if `needsConnection`. */
  connected: readonly ConnectedSpan[];
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

/** Whether judging an hour needs to know when the organization was connected. */
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
  { hour, connected }: CustomRulesInput,
  before: CarriedSilence | undefined,
): { findings: Finding[]; silence: CarriedSilence | undefined } => {
  const start = silenceStart(rule, hour);
  const same = before?.start === start ? before : undefined;
  const events = facts.reduce((sum, fact) => sum + weightOf(fact), same?.events ?? 0);
  const eventIds = [...(same?.eventIds ?? []), ...idsOf(facts)].slice(-MAX_CARRIED_IDS_OF_GROUP);
  if (!endsWindow(rule.windowMinutes, hour)) return { findings: [], silence: { start, events, eventIds } };
  const isJudged = start >= rule.changedAt && isConnectedThroughout(connected, { start, end: hour.end });
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

/** A group of an hour: the facts that have a value in common, by their indexes, or all facts without `groupBy`. */
type Group = { key: string; subject: string; indexes: Int32Array; events: number };

const groupOf = (key: string, subject: string, indexes: Int32Array, { weights }: Columns): Group => {
  let events = 0;
  for (const index of indexes) events += weights[index] ?? 0;
  return { key, subject, indexes, events };
};

type Grouped = {
  groups: Map<string, Group>;
  /** The facts of several groups, in order of time. */
  together: (keys: ReadonlySet<string>) => Int32Array;
};

/** Sorts indexes by their value, and keeps their order (a counting sort). @returns the indexes of a value. */
const sortByValue = (indexes: Int32Array, ids: Int32Array, values: number): ((id: number) => Int32Array) => {
  // The indexes of value `id` end where those of the next one start.
  const starts = new Int32Array(values + 1);
  for (const index of indexes) {
    const after = (ids[index] ?? NO_VALUE) + 1;
    if (after > 0) starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let id = 1; id <= values; id++) starts[id] = (starts[id] ?? 0) + (starts[id - 1] ?? 0);
  const next = starts.slice();
  const sorted = new Int32Array(indexes.length);
  for (const index of indexes) {
    const id = ids[index] ?? NO_VALUE;
    if (id === NO_VALUE) continue;
    const place = next[id] ?? 0;
    sorted[place] = index;
    next[id] = place + 1;
  }
  return (id) => sorted.subarray(starts[id], starts[id + 1]);
};

/** Facts without the fields that a rule counts by count for none. */
const groupsOf = (rule: JudgingRule, columns: Columns): Grouped => {
  const { groupBy } = rule;
  const matched = matching(columns, rule.filter, distinctField(rule));
  if (groupBy === undefined) {
    const only = groupOf(ORGANIZATION, ORGANIZATION, matched, columns);
    return { groups: new Map(matched.length === 0 ? [] : [[ORGANIZATION, only]]), together: () => matched };
  }
  const { ids, distinct } = columns.grouped(groupBy);
  const indexesOf = sortByValue(matched, ids, distinct.length);
  const groups = distinct.flatMap((value, id): [string, Group][] => {
    const indexes = indexesOf(id);
    if (indexes.length === 0) return [];
    return [[value.hash, groupOf(value.hash, `${groupBy}:${value.text}`, indexes, columns)]];
  });
  return {
    groups: new Map(groups),
    together: (keys) => {
      const isIn = Uint8Array.from(distinct, ({ hash }) => (keys.has(hash) ? 1 : 0));
      return matched.filter((index) => isIn[ids[index] ?? NO_VALUE] === 1);
    },
  };
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

/** One track of several groups that are not followed. */
const together = (tracks: readonly CarriedTrack[]): CarriedTrack => ({
  entries: tracks.flatMap(({ entries }) => entries).sort(byPosition),
  eventIds: tracks.flatMap(({ eventIds }) => eventIds).sort(),
});

const NO_INDEXES = new Int32Array(0);
const noTrack: CarriedTrack = { entries: [], eventIds: [] };

/** Judges by a rule with the condition `gte`. */
const judgeCounts = (
  rule: JudgingRule,
  gte: number,
  columns: Columns,
  { hour, maxGroups = MAX_GROUPS }: CustomRulesInput,
  before: CarriedRule["tracks"],
): { findings: Finding[]; tracks: Map<string, CarriedTrack> } => {
  const { facts, times, weights } = columns;
  const { span, positionOf } = scaleOf(rule.windowMinutes);
  const distinct = distinctField(rule);
  const isDistinct = distinct !== undefined;
  const counted = distinct && columns.grouped(distinct);
  /** What was carried into the hour, and then the group's facts. */
  const seriesOf = (entries: readonly Entry[], own: Int32Array): Series => {
    const carriedLength = entries.length;
    const indexOf = (at: number): number => own[at - carriedLength] ?? 0;
    return {
      length: carriedLength + own.length,
      positionAt: (at) => (at < carriedLength ? (entries[at]?.position ?? 0) : positionOf(times[indexOf(at)] ?? 0)),
      weightAt: (at) => (at < carriedLength ? (entries[at]?.weight ?? 0) : (weights[indexOf(at)] ?? 0)),
      valueAt: (at) =>
        at < carriedLength ? entries[at]?.value : counted?.distinct[counted.ids[indexOf(at)] ?? NO_VALUE]?.hash,
    };
  };
  const listedIn = (field: "userIds" | "networks", indexes: Int32Array): string[] => {
    const { ids, distinct: values } = columns.filtered(field);
    return listed(
      new Set(Array.from(new Set(indexes.map((index) => ids[index] ?? NO_VALUE)), (id) => values[id]?.text)),
    );
  };
  const idsAt = (indexes: Int32Array): string[] => Array.from(indexes, (index) => facts[index]?.id ?? "");
  const inReach = ({ entries, eventIds }: CarriedTrack, end: number): CarriedTrack => ({
    entries: entries.filter(({ position }) => position > positionOf(end) - span),
    eventIds: eventIds.filter((id) => positionOf(timeOfEventId(id) ?? 0) > positionOf(end) - span),
  });

  const carried = new Map(
    [...before]
      .map(([key, track]) => [key, inReach(track, hour.start)] as const)
      .filter(([, { entries }]) => entries.length > 0),
  );
  const { groups, together: factsTogether } = groupsOf(rule, columns);
  const followed = followedOf(groups, carried, maxGroups);
  const left = [...carried].filter(([key]) => !followed.has(key)).map(([, track]) => track);
  const leftKeys = new Set([...groups.keys()].filter((key) => !followed.has(key)));
  const leftIndexes = leftKeys.size === 0 ? NO_INDEXES : factsTogether(leftKeys);
  const others = groupOf(OTHERS, OTHERS, leftIndexes, columns);

  const findings: Finding[] = [];
  const tracks = new Map<string, CarriedTrack>();
  const idsOfGroup = Math.min(MAX_CARRIED_IDS_OF_GROUP, Math.max(1, Math.floor(MAX_CARRIED_IDS / (followed.size + 1))));
  const judgeGroup = (key: string, group: Group | undefined, track: CarriedTrack): void => {
    const own = group?.indexes ?? NO_INDEXES;
    const series = seriesOf(track.entries, own);
    const firstOfHour = track.entries.length;
    // No window has more than all events together.
    const most = track.entries.reduce((sum, { weight }) => sum + weight, group?.events ?? 0);
    const largest = most < gte ? undefined : largestWindow(series, firstOfHour, { span, isDistinct });
    if (group !== undefined && largest !== undefined && largest.amount >= gte) {
      const inWindow = own.slice(Math.max(0, largest.from - firstOfHour), largest.to - firstOfHour + 1);
      const after = series.positionAt(largest.to) - span;
      const earlier = track.eventIds.filter((id) => positionOf(timeOfEventId(id) ?? 0) > after);
      const eventIds = [...earlier, ...idsAt(inWindow.slice(-MAX_EVENT_IDS))].slice(-MAX_EVENT_IDS);
      const lastSeen = times[inWindow.at(-1) ?? NO_VALUE] ?? hour.start;
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
            users: listedIn("userIds", inWindow),
            addresses: listedIn("networks", inWindow),
          },
          firstSeen: Math.min(timeOfEventId(eventIds[0] ?? "") ?? lastSeen, lastSeen),
          lastSeen,
        }),
      );
    }
    const kept = carriedEntries(series, { from: positionOf(hour.end) - span, threshold: gte, isDistinct });
    if (kept.length === 0) return;
    const newest = [...track.eventIds, ...idsAt(own.slice(-idsOfGroup))].slice(-idsOfGroup);
    tracks.set(key, { entries: kept, eventIds: inReach({ entries: [], eventIds: newest }, hour.end).eventIds });
  };
  for (const key of [...followed].sort()) judgeGroup(key, groups.get(key), carried.get(key) ?? noTrack);
  judgeGroup(OTHERS, others.indexes.length > 0 ? others : undefined, together(left));
  return { findings, tracks };
};

const orderOf = ({ rule, subject }: Finding): string => `${rule} ${subject}`;

/** Judges an hour by all own rules. The same facts give the same findings. */
export const judgeCustomRules = (input: CustomRulesInput): JudgedCustomRules => {
  const { scope, hour, facts, rules, carried } = input;
  const columns = createColumns(facts, (text) => userHash(scope, text));
  const findings: Finding[] = [];
  const carriedOn = new Map<string, CarriedRule>();
  for (const rule of rulesOfHour(rules, hour)) {
    const { id, revision, condition } = rule;
    const found = carried.get(id);
    const before = found?.revision === revision ? found : undefined;
    if ("lt" in condition) {
      const counted = Array.from(matching(columns, rule.filter)).flatMap((index) => facts[index] ?? []);
      const judged = judgeSilence(rule, condition.lt, counted, input, before?.silence);
      findings.push(...judged.findings);
      if (judged.silence !== undefined) carriedOn.set(id, { revision, tracks: new Map(), silence: judged.silence });
    } else {
      const judged = judgeCounts(rule, condition.gte, columns, input, before?.tracks ?? new Map());
      findings.push(...judged.findings);
      if (judged.tracks.size > 0) carriedOn.set(id, { revision, tracks: judged.tracks });
    }
  }
  return { findings: findings.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)), carried: carriedOn };
};
