import { describe, expect, it } from "@jest/globals";
import { defaultRuleSettings, type RulesSettings } from "../../../shared/detection/rule-settings.ts";
import { createPreviewRun, newRunState } from "../../../shared/previews/preview-run.ts";
import type { PeriodAlert } from "../../../shared/security/alerts/alert-period-store.ts";
import type { BuiltInRule } from "../../../shared/security/alerts/finding.ts";
import { eventId } from "../../../shared/security/event-id.ts";

const START = Date.UTC(2026, 10, 20);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const occurrence = (at: number): string => eventId(at, new Uint8Array(16));

const alert = (rule: BuiltInRule, subject: string, occurrences: string[], firstSeen = START): PeriodAlert => ({
  rule,
  subject,
  title: `Of ${subject}`,
  level: "HIGH",
  firstSeen,
  lastSeen: START + DAY,
  occurrences,
});

const alerts = [
  alert("key_made_by_stranger", "actor:eve@example.com", [occurrence(START + 1), occurrence(START + 3 * HOUR)]),
  alert("key_made_by_stranger", "actor:bob@example.com", [occurrence(START + 2)]),
  alert("access_burst", "actor:eve@example.com", [occurrence(START + 1)]),
  alert("connection_key", "unrestricted", [`${START - 90 * DAY}#digest`], START + 5 * HOUR),
  alert("repeated_auth_failures", "user:eve", ["2026-11-20T00"]),
];

/** What a preview finds if the settings of a rule change from and to these, over a day without other findings. */
const preview = async (rule: BuiltInRule, from: Partial<RulesSettings[string]>, to: Partial<RulesSettings[string]>) => {
  const side = (settings: Partial<RulesSettings[string]>) => ({
    settings: { [rule]: { ...defaultRuleSettings, revision: 0, ...settings } },
    customRules: [],
  });
  const stored = {
    id: "preview",
    status: "running" as const,
    days: 1,
    change: { kind: "rule" as const, rule, settings: { ...defaultRuleSettings, ...to } },
    readFrom: START,
    from: START,
    to: START + DAY,
    reads: 0,
    requestedAt: START + DAY,
    requestedBy: "ada",
  };
  const inputs = {
    now: side(from),
    changed: side(to),
    mutes: [],
    filters: [{}],
    alerts,
    judged: [],
    runs: [],
    connection: { connectedAt: 0, connectedSince: 0 },
    sinceOfUsers: {},
  };
  const context = { organizationId: "acme", syncIntervalMs: 4 * HOUR };
  const run = createPreviewRun(stored, context, newRunState(stored, inputs));
  while (run.next() < stored.to) await run.judge([]);
  return run.result();
};

const off = { enabled: false };

describe("what a rule has found at once", () => {
  it("counts as it was raised, in the hours of its occurrences, and not while the rule is off", async () => {
    const result = await preview("key_made_by_stranger", {}, off);
    expect(result.now).toMatchObject({ alerts: 3, byLevel: { HIGH: 3 }, byDay: { "2026-11-20": 3 } });
    // Of one alert that repeats, one notification.
    expect(result.now.notifications).toBe(2);
    expect(result.then).toMatchObject({ alerts: 0, notifications: 0 });
    expect(result.removed).toMatchObject([
      { subject: "actor:eve@example.com", hour: START + 3 * HOUR, title: "Of actor:eve@example.com" },
      { hour: START, count: 1, eventIds: [expect.any(String)] },
      { hour: START },
    ]);
    const on = await preview("key_made_by_stranger", off, {});
    expect([on.now.alerts, on.then.alerts]).toEqual([0, 3]);
  });

  it("has the level of the settings, and is not about known users", async () => {
    const known = { networks: [], users: ["eve@example.com"] };
    const { then } = await preview("key_made_by_stranger", {}, { level: "LOW", known });
    expect(then).toMatchObject({ alerts: 1, byLevel: { LOW: 1 } });
  });

  it("is of its own rule only", async () => {
    expect((await preview("access_burst", {}, off)).now.alerts).toBe(1);
    expect((await preview("endpoint_tampered", {}, off)).now.alerts).toBe(0);
  });

  it("of a key has the time of its alert", async () => {
    const { removed } = await preview("connection_key", {}, off);
    expect(removed).toMatchObject([{ subject: "unrestricted", hour: START + 5 * HOUR, eventIds: [] }]);
  });
});
