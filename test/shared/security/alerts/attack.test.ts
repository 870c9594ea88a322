import { expect, it } from "@jest/globals";
import { Attack } from "../../../../shared/security/alerts/attack.ts";
import { attackByRule, attackOf } from "../../../../shared/security/alerts/attack-by-rule.ts";

it("every built-in rule names techniques once, by ids as MITRE writes them", () => {
  for (const [rule, attack] of Object.entries(attackByRule)) {
    expect([rule, attack.map((one) => Attack.parse(one))]).toEqual([rule, attack]);
    expect(attack.length).toBeGreaterThan(0);
    expect(new Set(attack.map((one) => JSON.stringify(one))).size).toBe(attack.length);
  }
});

it.each(["event_threshold", "custom_1", "toString", "__proto__"])("%s names none", (rule) => {
  expect(attackOf(rule)).toBeUndefined();
});

it.each([
  { tactic: "TA006", technique: "T1110" },
  { tactic: "T1110", technique: "TA0006" },
  { tactic: "TA0006", technique: "T1110.3" },
  { tactic: "TA0006", technique: "t1110" },
  { tactic: "TA0006" },
])("%j is none", (attack) => {
  expect(Attack.safeParse(attack).success).toBe(false);
});
