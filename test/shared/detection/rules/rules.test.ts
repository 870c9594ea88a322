import { describe, expect, it } from "@jest/globals";
import { findingRules } from "../../../../shared/security/alerts/finding.ts";
import { replayCase } from "../../../detection/replay-case.ts";
import { allCases } from "./all-cases.ts";

it("has cases of every rule", () => {
  expect(allCases.map(({ rule }) => rule).sort()).toEqual([...findingRules].sort());
});

describe.each(allCases)("$rule", ({ rule, cases }) => {
  it.each(cases)("$title", (one) => {
    const { raised, findings } = replayCase(one, rule);
    expect(raised).toEqual(one.finds);
    const ids = new Set(one.events.map(({ id }) => id));
    for (const finding of findings) {
      expect(finding).toMatchObject({ rule });
      expect(finding.eventIds.every((id) => ids.has(id))).toBe(true);
      // Silence is what it says: there is nothing to show for it.
      expect(finding.eventIds.length > 0).toBe(rule !== "sync_silence");
      expect(finding.lastSeen).toBeGreaterThanOrEqual(finding.firstSeen);
    }
  });
});
