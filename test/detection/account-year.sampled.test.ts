import { expect, it } from "@jest/globals";
import { accountRules } from "../../shared/security/alerts/finding.ts";
import { depth } from "../support/depth.ts";
import { judgeAccountYear } from "./year/account-year.ts";
import { YEAR_START } from "./year/run-year.ts";

const ORGANIZATIONS = depth(7, 28);

it("the rules of the account find their attacks, with at most one false alarm per organization and year each", () => {
  const years = Array.from({ length: ORGANIZATIONS }, (_, index) => judgeAccountYear(index + 1, YEAR_START));
  const falseAlarms = accountRules.map((rule) => {
    const found = years.flatMap(({ findings }) => findings).filter((finding) => finding.rule === rule);
    return [rule, found.length / ORGANIZATIONS] as const;
  });
  for (const [rule, share] of falseAlarms)
    expect({ rule, share, isQuiet: share <= 1 }).toMatchObject({ isQuiet: true });
  const missed = accountRules.flatMap((rule) =>
    years.flatMap(({ isFound }, organization) => (isFound(rule) ? [] : [`${rule} of ${organization}`])),
  );
  expect(missed).toEqual([]);
  for (const { entries } of years) expect(entries).toBeGreaterThan(200);
});
