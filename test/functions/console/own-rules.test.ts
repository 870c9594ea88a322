/** The rules behind the form of an own rule. */
import { describe, expect, it } from "@jest/globals";
import type { CustomRule, CustomRuleRequest as Request } from "../../../functions/console/app/api/types.ts";
import { subjectOf } from "../../../functions/console/app/views/alerts/words.ts";
import {
  draftOf,
  emptyDraft,
  type OwnRuleDraft,
  problemsOf,
  requestOf,
  windows,
} from "../../../functions/console/app/views/own-rules/own-rule-draft.ts";
import { filterInWords, ruleInWords } from "../../../functions/console/app/views/own-rules/own-rule-words.ts";
import { CustomRuleRequest } from "../../../shared/detection/custom-rules/custom-rule.ts";
import { reviveExactly } from "../../../shared/json/revive-exactly.ts";

const draft: OwnRuleDraft = { ...emptyDraft, name: " Refusals ", eventTypes: ["PERMISSION_DENIED"] };

const full: Request = {
  name: "Full",
  level: "HIGH",
  mode: "live",
  filter: {
    eventTypes: ["PERMISSION_DENIED"],
    categories: ["authorization"],
    sources: ["user"],
    success: false,
    userIds: ["eve", "bob"],
    networks: ["192.0.2.0/24"],
    resourceTypes: ["invoice"],
    errorCodes: ["40301"],
    levels: ["HIGH"],
  },
  measure: { distinct: "ipAddress" },
  groupBy: "userId",
  windowMinutes: 7,
  condition: { gte: 5 },
  attack: [{ tactic: "TA0006", technique: "T1110.001" }],
};
const made = { id: "r", revision: 2, createdAt: 1, createdBy: "ada", changedAt: 1, changedBy: "ada" };
const isAccepted = (request: object): boolean =>
  CustomRuleRequest.safeParse(JSON.parse(JSON.stringify(request), reviveExactly)).success;

describe("the form of an own rule", () => {
  it("has all fields of a rule, and becomes the same rule again", () => {
    expect(requestOf(draftOf({ ...made, ...full } as CustomRule))).toEqual(full);
    expect(draftOf({ ...made, ...full } as CustomRule).revision).toBe(2);
    const silence = { ...requestOf(draft), condition: { lt: 1 }, windowMinutes: 720 };
    expect(requestOf(draftOf({ ...made, ...silence } as CustomRule))).toEqual(silence);
  });

  it("becomes requests that the API accepts", () => {
    expect(problemsOf(draft)).toEqual({});
    expect(requestOf(draft)).toMatchObject({ name: "Refusals", mode: "dryRun", measure: "count" });
    expect(isAccepted(requestOf(draft))).toBe(true);
    for (const minutes of windows)
      expect(isAccepted(requestOf({ ...draft, windowMinutes: String(minutes) }))).toBe(true);
    // What a silence cannot have is left out.
    const silence = { ...draft, condition: "lt", measure: "userId", groupBy: "userId" } as const;
    expect(problemsOf(silence)).toEqual({});
    expect(isAccepted(requestOf(silence))).toBe(true);
  });

  it.each<[keyof ReturnType<typeof problemsOf>, Partial<OwnRuleDraft>]>([
    ["name", { name: " " }],
    ["filter", { eventTypes: [] }],
    ["threshold", { threshold: "0" }],
    ["threshold", { threshold: "10001" }],
    ["threshold", { threshold: "501", measure: "userId" }],
    ["threshold", { threshold: "five" }],
    ["window", { condition: "lt", windowMinutes: "30" }],
    ["userIds", { userIds: "bob jones" }],
    ["networks", { networks: "192.0.2.1" }],
    ["errorCodes", { errorCodes: Array.from({ length: 51 }, (_, i) => i).join("\n") }],
    ["attack", { attack: "T1110" }],
  ])("says what is wrong with %s: %j", (field, changes) => {
    expect(Object.keys(problemsOf({ ...draft, ...changes }))).toEqual([field]);
  });
});

describe("an own rule in words", () => {
  it("is a sentence", () => {
    const { groupBy: _, ...ungrouped } = full;
    expect(ruleInWords(full)).toBe(
      "5 or more different addresses of one user within 7 minutes (Permission denied; category Authorization; caused by a user; user eve or bob; from 192.0.2.0/24; about Invoice; error 40301; level High; failed)",
    );
    expect(ruleInWords({ ...ungrouped, measure: "count", condition: { lt: 1 }, windowMinutes: 1_440 })).toMatch(
      /^No events within 1 day/,
    );
    expect(filterInWords({ eventTypes: ["A", "B", "C", "D", "E"] })).toBe("A or B or C or 2 more");
    expect(filterInWords({ userIds: [] })).toBe("no events: the user was erased");
  });

  it.each([
    ["userId:eve", { text: "User eve", filters: { userId: "eve" } }],
    ["ipAddress:192.0.2.1", { text: "Address 192.0.2.1", filters: { ipAddress: "192.0.2.1" } }],
    ["ipAddress:2001:db8::/64", { text: "Address 2001:db8::/64" }],
    ["resourceType:invoice", { text: "Resource type invoice" }],
    ["others", { text: "All others together" }],
    ["organization", { text: "The whole organization" }],
  ])("names the subject %s", (subject, expected) => {
    expect(subjectOf({ rule: "custom_a", subject })).toEqual(expected);
  });
});
