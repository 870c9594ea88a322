/** The rules behind the form of a mute. */
import { describe, expect, it } from "@jest/globals";
import type { Mute } from "../../../functions/console/app/api/types.ts";
import { rules } from "../../../functions/console/app/views/alerts/words.ts";
import {
  draftFrom,
  givenOf,
  isMutable,
  type MuteDraft,
  problemsOf,
  requestOf,
} from "../../../functions/console/app/views/mutes/mute-draft.ts";
import {
  hiddenInWords,
  levelsInWords,
  titleOf,
  weeklyInWords,
} from "../../../functions/console/app/views/mutes/mute-words.ts";
import { reviveExactly } from "../../../shared/json/revive-exactly.ts";
import { MuteRequest } from "../../../shared/mutes/mute.ts";
import { isMutable as isMutableInService, mutableRules } from "../../../shared/security/alerts/alert-rules.ts";

const NOW = new Date(2026, 10, 16, 22, 30).getTime();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const alert = { rule: "policy_violation", subject: "user:eve", level: "HIGH" } as const;
const draft: MuteDraft = { ...draftFrom(givenOf(alert), "Europe/Berlin"), reason: " maintenance " };

describe("the form of a mute", () => {
  it("starts with the alert's rule, subject and level, and ends the next morning", () => {
    expect(requestOf(draft, NOW)).toEqual({
      rules: ["policy_violation"],
      subject: "user:eve",
      levels: ["HIGH"],
      until: new Date(2026, 10, 17, 8).getTime(),
      reason: "maintenance",
      includeCritical: false,
    });
    expect(requestOf(draftFrom(givenOf({ ...alert, rule: "manual" }), "UTC"), NOW)).not.toHaveProperty("subject");
    expect(draftFrom({}, "UTC")).toMatchObject({ rules: undefined, levels: ["HIGH", "MEDIUM", "LOW"] });
  });

  it("becomes requests that the API accepts", () => {
    const weekly = { ...draft.weekly, days: ["friday"] as const };
    const all: Partial<MuteDraft>[] = [
      {},
      { rules: undefined, levels: ["CRITICAL", "LOW"] },
      { beginning: "later", from: "2026-11-20T10:00", end: "week" },
      { end: "time", until: "2026-12-24T08:00", isWeekly: true, weekly: { ...weekly, days: [...weekly.days] } },
    ];
    for (const changes of all) {
      const request = requestOf({ ...draft, ...changes }, NOW);
      expect(problemsOf({ ...draft, ...changes }, NOW)).toEqual({});
      expect(MuteRequest.safeParse(JSON.parse(JSON.stringify(request), reviveExactly))).toMatchObject({
        success: true,
      });
    }
    expect(requestOf({ ...draft, ...all[2] }, NOW)).toMatchObject({
      from: new Date(2026, 10, 20, 10).getTime(),
      until: new Date(2026, 10, 27, 10).getTime(),
    });
    expect(requestOf({ ...draft, ...all[1] }, NOW)).toMatchObject({ includeCritical: true });
    expect(requestOf({ ...draft, rules: ["manual", "sync_silence"] }, NOW)).not.toHaveProperty("subject");
    expect(requestOf({ ...draft, end: "hour" }, NOW).until).toBe(NOW + HOUR);
  });

  it.each<[keyof ReturnType<typeof problemsOf>, Partial<MuteDraft>]>([
    ["rules", { rules: [] }],
    ["levels", { levels: [] }],
    ["reason", { reason: "  " }],
    ["from", { beginning: "later", from: "" }],
    ["from", { beginning: "later", from: "2027-11-16T10:00" }],
    ["until", { end: "time", until: "" }],
    ["until", { end: "time", until: "2026-11-16T22:29" }],
    ["until", { end: "time", until: "2027-03-16T22:29" }],
    ["days", { isWeekly: true, weekly: { ...draft.weekly, days: [] } }],
    ["weekly", { isWeekly: true, weekly: { ...draft.weekly, from: "" } }],
    ["weekly", { isWeekly: true, weekly: { ...draft.weekly, from: "08:00", to: "08:00" } }],
  ])("says what is wrong with %s: %j", (field, changes) => {
    expect(Object.keys(problemsOf({ ...draft, ...changes }, NOW))).toEqual([field]);
  });

  it("offers no rule whose alerts cannot be muted", () => {
    for (const rule of [...Object.keys(rules), ...mutableRules, "evidence_incomplete", "custom_a"])
      expect([rule, isMutable(rule)]).toEqual([rule, isMutableInService(rule)]);
  });
});

describe("a mute in words", () => {
  const mute: Mute = {
    id: "m",
    from: NOW,
    until: NOW + DAY,
    includeCritical: false,
    reason: "test",
    createdBy: "ada",
    createdAt: NOW,
    state: "active",
    hidden: { alerts: 3, notifications: 1, byLevel: { HIGH: 2, LOW: 1 } },
  };

  it("says which alerts it is about, when, and what it hid", () => {
    expect(titleOf(mute)).toBe("Alerts of all rules");
    expect(titleOf({ rules: ["policy_violation"], subject: "user:eve" })).toBe("Policy violation: User eve");
    expect(titleOf({ rules: ["manual", "sync_silence", "system_errors", "policy_violation"] })).toBe(
      "Raised by hand, No successful sync, System errors and 1 more rule",
    );
    expect(levelsInWords(mute)).toBe("Low, Medium, High");
    expect(levelsInWords({ includeCritical: true })).toBe("Low, Medium, High, Critical");
    expect(levelsInWords({ levels: ["LOW"], includeCritical: false })).toBe("Low");
    expect(weeklyInWords(mute)).toBeUndefined();
    const weekly = { days: ["friday" as const], from: "22:00", to: "06:00", timeZone: "America/New_York" };
    expect(weeklyInWords({ weekly })).toBe("Friday, from 22:00 to 06:00 of the next day, America/New York");
    expect(hiddenInWords(mute.hidden)).toBe("3 alerts (2 high, 1 low), 1 notification not sent");
    expect(hiddenInWords({ alerts: 0, notifications: 0, byLevel: {} })).toBe("Nothing so far");
  });
});
