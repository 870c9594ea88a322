/**
 * Bounds what is stored of a judged hour, because an item of the store has at most 400 KB; the counts of two days take at
 * most 100 KB. Pure. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
import { encodeJson } from "../json/encode-json.ts";
import type { Finding } from "../security/alerts/finding.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import type { Fact } from "./evidence/fact.ts";

const MAX_FINDINGS_BYTES = 130_000;
const MAX_FACTS_BYTES = 140_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(encodeJson(value)) + 1;

/** The first elements that fit. */
const firstThatFit = <Element>(elements: readonly Element[], maxBytes: number): Element[] => {
  let left = maxBytes;
  const end = elements.findIndex((one) => {
    left -= bytesOf(one);
    return left < 0;
  });
  return elements.slice(0, end === -1 ? elements.length : end);
};

/** The facts for the next hour: the newest that fit, in order of time. */
export const fitFacts = (facts: readonly Fact[]): Fact[] => {
  const carried = facts.map(({ resource: _, ...fact }) => fact);
  return firstThatFit(carried.reverse(), MAX_FACTS_BYTES).reverse();
};

const MOST_EVENT_IDS = 100;

/** Findings with this many of their newest events. */
const withEvents = (findings: readonly Finding[], most: number): Finding[] =>
  findings.map((finding) => ({ ...finding, eventIds: finding.eventIds.slice(-most) }));

const gravity = ({ level }: Finding): number => riskLevels.indexOf(level);

/** One finding in place of several of a rule: how many they are, and the events of all. */
const merge = (findings: readonly [Finding, ...Finding[]]): Finding => {
  const [gravest] = findings;
  return {
    rule: gravest.rule,
    subject: "others",
    level: gravest.level,
    occurrence: gravest.occurrence,
    title: `${gravest.title}: ${findings.length} more subjects`,
    eventIds: findings
      .flatMap(({ eventIds }) => eventIds)
      .sort()
      .slice(-MOST_EVENT_IDS),
    evidence: { count: findings.reduce((sum, { evidence }) => sum + evidence.count, 0), subjects: findings.length },
    firstSeen: Math.min(...findings.map(({ firstSeen }) => firstSeen)),
    lastSeen: Math.max(...findings.map(({ lastSeen }) => lastSeen)),
  };
};

const isNotEmpty = (findings: Finding[]): findings is [Finding, ...Finding[]] => findings.length > 0;

/**
 * The findings of an hour that fit: all of them with fewer events each, else the gravest, and for each rule one finding
 * that counts the others.
 */
export const fitFindings = (findings: readonly Finding[]): Finding[] => {
  for (let most = MOST_EVENT_IDS; most > 0; most = Math.floor(most / 4)) {
    const fewer = withEvents(findings, most);
    if (fewer.reduce((bytes, finding) => bytes + bytesOf(finding), 0) <= MAX_FINDINGS_BYTES) return fewer;
  }
  const sorted = withEvents(findings, 1).sort((a, b) => gravity(b) - gravity(a));
  const kept = firstThatFit(sorted, MAX_FINDINGS_BYTES / 2);
  const others = Map.groupBy(sorted.slice(kept.length), ({ rule }) => rule);
  return [...kept, ...[...others.values()].filter(isNotEmpty).map(merge)];
};
