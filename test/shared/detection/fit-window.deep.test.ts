import { describe, expect, it } from "@jest/globals";
import type { Fact } from "../../../shared/detection/evidence/fact.ts";
import { fitFacts, fitFindings } from "../../../shared/detection/fit-window.ts";
import { createWindowStore, type Window } from "../../../shared/detection/window-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import type { Finding } from "../../../shared/security/alerts/finding.ts";
import { HOUR_MS } from "../../../shared/terms/hours.ts";
import { rangeOf } from "../../support/depth.ts";
import { HOUR } from "./stage.ts";
import { useDetectionEngine } from "./use-detection-engine.ts";

const engine = useDetectionEngine();

const findingOf = (i: number, character: string, level: Finding["level"] = "HIGH"): Finding => ({
  rule: "unusual_api_usage",
  title: "Calls",
  level,
  occurrence: "2026-11-21T10",
  subject: `user:${character.repeat(120)}${i}`,
  eventIds: rangeOf(100).map((id) => String(1e25 + id * 1e20 + i).padStart(26, "0")),
  evidence: { count: 100, addresses: rangeOf(10).map(() => character.repeat(30)) },
  firstSeen: HOUR + i,
  lastSeen: HOUR + i + 1,
});

const factOf = (i: number, character: string): Fact => ({
  id: `f${i}`,
  at: HOUR + i,
  type: "PERMISSION_DENIED",
  category: "authorization",
  riskLevel: "HIGH",
  source: "user",
  success: false,
  userId: character.repeat(128),
  action: character.repeat(256),
});

const usersOf = () =>
  Object.fromEntries(rangeOf(500).map((i) => [`${i}`.padStart(43, "h"), { calls: 9_999, peak: 9_999, from: 23 }]));

const dayOf = (day: string) => ({
  day,
  since: HOUR,
  all: { calls: 1, peak: 1, from: 1 },
  users: usersOf(),
  seen: rangeOf(500).map((i) => `${i}`.padStart(8, "v")),
});

const windowOf = (findings: readonly Finding[], facts: readonly Fact[]): Window => ({
  hour: HOUR,
  judgedAt: HOUR + HOUR_MS,
  rules: {},
  eventsRead: facts.length,
  findings: fitFindings(findings),
  carried: fitFacts(facts),
  today: dayOf("2026-11-21"),
  ended: dayOf("2026-11-20"),
});

describe.each(["x", "漢", "😀", "\u0000"])("an hour with texts of %j", (character) => {
  it.each([1, 130, 2_000])("is stored with %i findings and the facts that it carries", async (count) => {
    const client = engine.documentClient();
    const windows = createWindowStore(createTable(client, "detection"), { retentionDays: 90 });
    const scope = `org#${encodeURIComponent(character)}${count}`;
    const window = windowOf(
      rangeOf(count).map((i) => findingOf(i, character)),
      rangeOf(500).map((i) => factOf(i, character)),
    );
    await windows.put(scope, window);
    expect(await windows.get(scope, HOUR)).toEqual(window);
    const found = window.findings.reduce((sum, { evidence }) => sum + Number(evidence.subjects ?? 1), 0);
    expect(found).toBe(count);
    expect(window.findings.reduce((sum, { evidence }) => sum + evidence.count, 0)).toBe(100 * count);
    expect(window.carried.at(-1)?.id).toBe("f499");
  });
});

describe("the findings of an hour", () => {
  it("keep all events if they fit", () => {
    const findings = rangeOf(20).map((i) => findingOf(i, "x"));
    expect(fitFindings(findings)).toEqual(findings);
  });

  it("keep the gravest, and count the others in one finding of their rule", () => {
    const findings = [...rangeOf(2_000).map((i) => findingOf(i, "x", "MEDIUM")), findingOf(7_777, "x", "CRITICAL")];
    const [first, ...others] = fitFindings(findings);
    expect(first).toMatchObject({ level: "CRITICAL", subject: findingOf(7_777, "x").subject });
    expect(others.at(-1)).toMatchObject({
      subject: "others",
      title: expect.stringMatching(/^Calls: [0-9]+ more subjects$/),
    });
  });
});
