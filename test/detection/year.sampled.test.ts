import { describe, expect, it } from "@jest/globals";
import { findingRules } from "../../shared/security/alerts/finding.ts";
import { deepIt } from "../support/deep-it.ts";
import { sampleOf } from "../support/depth.ts";
import { attacks } from "./year/attacks.ts";
import { lookAlikes } from "./year/look-alikes.ts";
import { simulateOrganization } from "./year/organization.ts";
import { runYear, YEAR_START } from "./year/run-year.ts";
import { precisionOf, recallOf } from "./year/score.ts";

const TWO_WEEKS = { days: 14, organizations: 10 };
/** The minimum share of each rule's findings that belong to planted attacks. */
const LEAST_PRECISION = 0.95;
/** The first Monday of an organization that is two days old is unusual: after a year it is 0.8 and more. */
const LEAST_PRECISION_OF_USAGE = 0.4;

describe("two weeks of ten organizations", () => {
  it("contain every attack and every look-alike", () => {
    const indexes = Array.from({ length: TWO_WEEKS.organizations }, (_, index) => index);
    const episodes = indexes.flatMap(
      (index) => simulateOrganization({ seed: 1, start: YEAR_START, days: TWO_WEEKS.days }, index).episodes,
    );
    const names = episodes.map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual([...Object.keys(attacks), ...Object.keys(lookAlikes)].sort());
    const attacked = new Set(episodes.flatMap(({ labels }) => labels.map(({ rule }) => rule)));
    const missing = findingRules.filter((rule) => !attacked.has(rule));
    expect(missing.map((rule) => `add an attack that ${rule} finds to test/detection/year/attacks.ts`)).toEqual([]);
  });

  deepIt.each(sampleOf([1, 2], 1))("are judged with full recall and enough precision, seed %i", (seed) => {
    const { scores } = runYear({ seed, ...TWO_WEEKS });
    for (const score of scores) {
      const { rule, planted, missed, mistaken } = score;
      expect({ rule, recall: recallOf(score), missed }).toEqual({ rule, recall: 1, missed: [] });
      expect(planted).toBeGreaterThan(0);
      const least = rule === "unusual_api_usage" ? LEAST_PRECISION_OF_USAGE : LEAST_PRECISION;
      expect({ rule, mistaken, isPrecise: precisionOf(score) >= least }).toMatchObject({ isPrecise: true });
    }
  });

  it("are the same for the same seed", () => {
    const few = { seed: 3, days: 4, organizations: 2 };
    expect(runYear(few)).toEqual(runYear(few));
    expect(runYear(few)).not.toEqual(runYear({ ...few, seed: 4 }));
  });
});
