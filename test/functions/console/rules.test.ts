import { describe, expect, it } from "@jest/globals";
import type { DetectionRule } from "../../../.build/console/openapi.d.ts";
import { attentionOf } from "../../../functions/console/app/views/overview/attention.ts";
import {
  draftOf,
  hasMistakes,
  mistakesOf,
  requestOf,
  settingsInWords,
} from "../../../functions/console/app/views/rules/rule-draft.ts";

const rule: DetectionRule = {
  rule: "repeated_auth_failures",
  enabled: true,
  thresholds: { failures: { value: 5, default: 5, min: 2, max: 50, unit: "failures" } },
  known: { networks: [], users: [] },
  attack: [{ tactic: "TA0006", technique: "T1110" }],
  revision: 3,
};
const draft = draftOf(rule);

describe("a draft of a rule's settings", () => {
  it("becomes the request that changes nothing, until something is typed", () => {
    expect(mistakesOf(rule, draft)).toEqual({ thresholds: {} });
    expect(requestOf(rule, draft)).toEqual({
      enabled: true,
      thresholds: { failures: 5 },
      known: { networks: [], users: [] },
      revision: 3,
    });
    const typed = {
      ...draft,
      enabled: false,
      level: "LOW" as const,
      thresholds: { failures: " 7 " },
      networks: "192.0.2.0/24\n\n",
      users: " robot \nada",
    };
    expect(requestOf(rule, typed)).toEqual({
      enabled: false,
      level: "LOW",
      thresholds: { failures: 7 },
      known: { networks: ["192.0.2.0/24"], users: ["robot", "ada"] },
      revision: 3,
    });
  });

  it.each(["", "1", "51", "5.5", "five", "-5", "1e1"])("takes no threshold %j", (failures) => {
    const mistakes = mistakesOf(rule, { ...draft, thresholds: { failures } });
    expect(mistakes.thresholds).toEqual({ failures: "Type a whole number from 2 to 50." });
    expect(hasMistakes(mistakes)).toBe(true);
  });

  it.each([
    [{ networks: "192.0.2.1" }, { networks: expect.stringContaining("192.0.2.1") }],
    [{ networks: Array(101).fill("192.0.2.0/24").join("\n") }, { networks: "At most 100 are possible." }],
    [{ users: "ada\nbob jones" }, { users: "bob jones is not the id of a user." }],
    [{ users: Array(101).fill("ada").join("\n") }, { users: "At most 100 are possible." }],
  ])("names what is wrong with known callers: %#", (typed, expected) => {
    const mistakes = mistakesOf(rule, { ...draft, ...typed });
    expect(mistakes).toEqual({ thresholds: {}, ...expected });
    expect(hasMistakes(mistakes)).toBe(true);
  });

  it("says what was changed in few words", () => {
    expect(settingsInWords(rule)).toEqual([]);
    const known = { networks: ["192.0.2.0/24"], users: ["ada", "bob"] };
    const thresholds = { failures: { value: 9, default: 5, min: 2, max: 50, unit: "failures" } };
    expect(settingsInWords({ ...rule, level: "LOW", thresholds, known })).toEqual([
      "level low",
      "1 changed threshold",
      "1 known network",
      "2 known users",
    ]);
  });
});

describe("the overview", () => {
  it("names the rules that are off, and nothing while all are on or not known", () => {
    expect(attentionOf({ rules: [rule] }, 0)).toEqual([]);
    expect(attentionOf({ rules: null }, 0)).toEqual([]);
    expect(attentionOf({ rules: [{ ...rule, enabled: false }] }, 0)).toEqual([
      {
        tone: "bad",
        what: "a detection rule is off",
        text: "Detection does not look for: Repeated authentication failures.",
        action: { href: "/console/rules", text: "Open Rules" },
      },
    ]);
  });
});
