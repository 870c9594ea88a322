import { describe, expect, it } from "@jest/globals";
import {
  type CarriedRules,
  decodeRules,
  EncodedRules,
  encodeRules,
} from "../../../../shared/detection/custom-rules/carried-rule.ts";
import { type JudgingRule, judgeCustomRules } from "../../../../shared/detection/custom-rules/judge-custom-rules.ts";
import type { Fact } from "../../../../shared/detection/evidence/fact.ts";
import { eventId } from "../../../../shared/security/event-id.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../shared/terms/hours.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { judgeByBruteForce, type Memory } from "./oracle.ts";
import { HOURS, START, facts as someFacts, rules as someRules } from "./random-rules.ts";

const scope = "org#acme";

/** What the store keeps, in several items. */
const stored = (carried: CarriedRules): CarriedRules =>
  decodeRules(encodeRules(carried, 300).map((part) => EncodedRules.parse(JSON.parse(JSON.stringify(part)))));

/** Hours in the order in which they are judged: some late, after later hours. */
const orderOf = (late: readonly number[]): number[] => {
  const hours = Array.from({ length: HOURS }, (_, i) => i);
  const order = hours.filter((hour) => !late.includes(hour));
  for (const hour of new Set(late))
    order.splice(Math.min(order.length, order.findIndex((one) => one > hour) + 2), 0, hour);
  return order;
};

describe("own rules over three days", () => {
  it("find what brute force finds, across hours, in hours judged late, and after changes", () => {
    const found = { findings: 0, others: 0, silences: 0, spans: 0 };
    fc.assert(
      fc.property(
        someRules,
        someFacts,
        fc.array(fc.nat(HOURS - 2), { maxLength: 4 }),
        fc.record({ hour: fc.nat(HOURS - 1), rules: fc.uniqueArray(fc.nat(19), { maxLength: 6 }) }),
        fc.constantFrom(
          [{ since: 0 }],
          [{ since: START + HOUR_MS }],
          [{ since: 0, until: START + 36 * HOUR_MS }],
          [{ since: START, until: START + 30 * HOUR_MS }, { since: START + 31 * HOUR_MS }],
          [],
        ),
        fc.constantFrom(1, 2, 3, 200),
        (initial, facts, late, change, connected, maxGroups) => {
          let rules = initial;
          const judged = new Map<number, { carried: CarriedRules; memory: Memory }>();
          for (const index of orderOf(late)) {
            const start = START + index * HOUR_MS;
            const hour = { start, end: start + HOUR_MS };
            if (index === change.hour) {
              rules = initial.map((rule, i) =>
                change.rules.includes(i) ? { ...rule, revision: 2, changedAt: start + 7 * MINUTE_MS } : rule,
              );
            }
            const ofHour = facts.filter(({ at }) => at >= start && at < hour.end);
            // A quiet hour is judged only if a rule asks for silence.
            if (ofHour.length === 0 && index % 3 !== 2) continue;
            const previous = judged.get(Math.max(-1, ...[...judged.keys()].filter((one) => one < index)));
            const input = { scope, facts: ofHour, rules, connected, maxGroups };
            const actual = judgeCustomRules({ ...input, hour, carried: previous?.carried ?? new Map() });
            const oracle = judgeByBruteForce({ ...input, hour: start, memory: previous?.memory ?? new Map() });
            judged.set(index, { carried: stored(actual.carried), memory: oracle.memory });
            const key = (one: { rule: string; subject: string }) => `${one.rule} ${one.subject}`;
            expect(actual.findings.map(key)).toEqual(oracle.findings.map(key).sort());
            const most = new Map(oracle.findings.map((one) => [key(one), one.most]));
            for (const finding of actual.findings) {
              const { count, threshold } = finding.evidence as { count: number; threshold: number };
              const isSilence = "lt" in (rules.find(({ id }) => finding.rule === `custom_${id}`)?.condition ?? {});
              expect(count).toBeLessThanOrEqual(most.get(key(finding)) ?? 0);
              if (isSilence) found.silences++;
              else expect(count).toBeGreaterThanOrEqual(threshold);
              found.findings++;
              if (finding.subject === "others") found.others++;
              if (!isSilence && finding.firstSeen < start) found.spans++;
            }
          }
        },
      ),
      { numRuns: depth(15, 400) },
    );
    // The property is about something.
    for (const [what, count] of Object.entries(found))
      expect({ what, isSeen: count > depth(0, 5) }).toEqual({ what, isSeen: true });
  });
});

let number = 0;
const fact = (at: number, fields: Partial<Fact> = {}): Fact => ({
  id: eventId(
    at,
    Uint8Array.from(String(1e15 + number++), (digit) => Number(digit)),
  ),
  at,
  type: "DATA_READ",
  category: "data_access",
  riskLevel: "LOW",
  source: "user",
  success: true,
  userId: "ada",
  ...fields,
});

const rule: JudgingRule = {
  id: "r",
  name: "Reads",
  level: "HIGH",
  mode: "live",
  filter: { eventTypes: ["DATA_READ"] },
  measure: "count",
  groupBy: "userId",
  windowMinutes: 60,
  condition: { gte: 3 },
  revision: 1,
  changedAt: START,
};

const judge = (
  facts: readonly Fact[],
  by: Partial<JudgingRule>,
  at = START,
  carried: CarriedRules = new Map(),
  connected: readonly { since: number; until?: number }[] = [{ since: 0 }],
) =>
  judgeCustomRules({
    scope,
    hour: { start: at, end: at + HOUR_MS },
    facts,
    rules: [{ ...rule, ...by } as JudgingRule],
    carried,
    connected,
  });

describe("an own rule", () => {
  it("has a finding with the events of its window, also those of the hour before", () => {
    const early = [fact(START + 50 * MINUTE_MS), fact(START + 55 * MINUTE_MS)];
    const late = [fact(START + 109 * MINUTE_MS)];
    const first = judge(early, {});
    expect(first.findings).toEqual([]);
    expect(judge(late, {}, START + HOUR_MS, first.carried).findings).toEqual([
      {
        rule: "custom_r",
        subject: "userId:ada",
        title: "Reads",
        level: "HIGH",
        message: "3 events within 60 minutes; the rule raises from 3 on.",
        occurrence: "2026-11-21T01",
        eventIds: [...early, ...late].map(({ id }) => id),
        evidence: { count: 3, threshold: 3, windowMs: HOUR_MS, users: ["ada"], addresses: [] },
        firstSeen: START + 50 * MINUTE_MS,
        lastSeen: START + 109 * MINUTE_MS,
      },
    ]);
    // A minute later, the first event is exactly as old as the window is long.
    expect(judge([fact(START + 110 * MINUTE_MS)], {}, START + HOUR_MS, first.carried).findings).toEqual([]);
  });

  it("follows the 200 busiest groups, and counts the others together", () => {
    const twice = Array.from({ length: 200 }, (_, i) => [
      fact(START, { userId: `u${i}` }),
      fact(START, { userId: `u${i}` }),
    ]);
    const once = Array.from({ length: 4 }, (_, i) => fact(START + 1, { userId: `v${i}` }));
    const { findings } = judge([...twice.flat(), ...once], { condition: { gte: 2 } });
    expect(findings).toHaveLength(201);
    expect(findings.filter(({ subject }) => subject === "others")).toMatchObject([{ evidence: { count: 4 } }]);
  });

  it("counts a count of a flood as its failures, and IPv6 addresses of one /64 as one", () => {
    const counted = judge([fact(START, { failures: 3 })], {});
    expect(counted.findings).toMatchObject([{ subject: "userId:ada", evidence: { count: 3 } }]);
    const addresses = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map((ipAddress) => fact(START, { ipAddress }));
    const by = { groupBy: undefined, measure: { distinct: "ipAddress" } } as const;
    expect(judge(addresses, { ...by, condition: { gte: 3 } }).findings).toEqual([]);
    expect(judge(addresses, { ...by, condition: { gte: 2 } }).findings).toMatchObject([
      { subject: "organization", evidence: { count: 2, distinct: "ipAddress" } },
    ]);
    expect(judge(addresses, { groupBy: "ipAddress", condition: { gte: 2 } }).findings).toMatchObject([
      { subject: "ipAddress:2001:db8:0:0::/64" },
    ]);
  });

  it("takes the network of a flood's count for an address in its networks", () => {
    const counts = ["2001:db8:0:1::/64", "2001:db8:0:2::/64"].map((ipAddress) =>
      fact(START, { ipAddress, failures: 4 }),
    );
    const by = (network: string) => ({ groupBy: undefined, filter: { networks: [network] }, condition: { gte: 1 } });
    expect(judge(counts, by("2001:db8::/48")).findings).toMatchObject([{ evidence: { count: 8 } }]);
    expect(judge(counts, by("2001:db8:0:1::/64")).findings).toMatchObject([{ evidence: { count: 4 } }]);
    // A part of the network: some of the failures may have come from elsewhere.
    expect(judge(counts, by("2001:db8:0:1::/80")).findings).toEqual([]);
  });

  it("finds silence in a window in which the organization was connected throughout", () => {
    const silent = (...connected: { since: number; until?: number }[]) =>
      judge([], { groupBy: undefined, condition: { lt: 1 } }, START, new Map(), connected).findings.length > 0;
    expect(silent({ since: 0 })).toBe(true);
    expect(silent({ since: START })).toBe(true);
    expect(silent({ since: START + 1 })).toBe(false);
    // Disconnected after the window's end, and before it.
    expect(silent({ since: 0, until: START + HOUR_MS })).toBe(true);
    expect(silent({ since: 0, until: START + HOUR_MS - 1 })).toBe(false);
    expect(silent({ since: 0, until: START + HOUR_MS }, { since: START + HOUR_MS + 1 })).toBe(true);
    expect(silent({ since: 0, until: START + 1 }, { since: START + 2 })).toBe(false);
    expect(silent()).toBe(false);
  });

  it("matches nothing while a list of its filter is empty", () => {
    expect(judge([fact(START)], { filter: { userIds: [] }, condition: { gte: 1 } }).findings).toEqual([]);
    const silence = { filter: { userIds: [] }, groupBy: undefined, condition: { lt: 1 } };
    expect(judge([], silence, START + HOUR_MS).findings).toEqual([]);
  });
});
