import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import {
  adviceByRule,
  failureJudge,
  hourlyRules,
  latencyRule,
  leastNeed,
  moneyRules,
  refusalRules,
  rules,
  silentIntervals,
} from "../../../../shared/detection/rules/rules.ts";
import { findingRules } from "../../../../shared/security/alerts/finding.ts";
import { replayCase } from "../../../detection/replay-case.ts";
import { allCases } from "./all-cases.ts";

const root = join(import.meta.dirname, "../../../..");

/** The rows of a rule in the first table of docs/detection.md: a row without a name continues the rule above. */
const documentedRows = (): Map<string, string[]> => {
  const table = readFileSync(join(root, "docs/detection.md"), "utf8").split("\n## The rules\n\n")[1]?.split("\n\n")[0];
  const rows = new Map<string, string[]>();
  let name = "";
  for (const row of table?.split("\n").slice(2) ?? []) {
    name = /^\| `([a-z_]+)` \|/.exec(row)?.[1] ?? name;
    rows.set(name, [...(rows.get(name) ?? []), row]);
  }
  return rows;
};

/** A sentence for each rule of alerts and reports that a list lacks, and for each name that is no such rule. */
const problemsOf = (named: readonly string[], where: string): string[] => [
  ...findingRules.filter((rule) => !named.includes(rule)).map((rule) => `add ${rule} to ${where}`),
  ...named.filter((name) => !findingRules.some((rule) => rule === name)).map((name) => `${where}: ${name} is no rule`),
];

describe("the list of rules", () => {
  it("has each rule of alerts and reports once", () => {
    const names = rules.map(({ id }) => id);
    expect(problemsOf(names, "hourlyRules or rules in shared/detection/rules/rules.ts")).toEqual([]);
    expect(names).toHaveLength(findingRules.length);
  });

  it("has cases and advice for every rule", () => {
    expect(
      problemsOf(
        allCases.map(({ rule }) => rule),
        "test/shared/detection/rules/all-cases.ts",
      ),
    ).toEqual([]);
    for (const { cases } of allCases) expect(cases.length).toBeGreaterThan(0);
    for (const { id } of rules) expect(adviceByRule[id].action).not.toBe("");
  });

  it("is documented, with the subject and level of every kind of finding", () => {
    const rows = documentedRows();
    expect(problemsOf([...rows.keys()], "the table of rules in docs/detection.md")).toEqual([]);
    for (const { id, kinds } of rules) {
      for (const { subject, level } of Object.values(kinds)) {
        const isDocumented = rows.get(id)?.some((row) => row.includes(`\`${subject}`) && row.includes(level));
        expect({ id, subject, level, isDocumented }).toEqual({ id, subject, level, isDocumented: true });
      }
    }
  });

  it("names the rules that judge hours, the rules that judge at once, and their needs", () => {
    expect(hourlyRules).toEqual(rules.filter(({ judge }) => judge !== undefined));
    expect(refusalRules).toEqual(rules.filter(({ judgeRefusal }) => judgeRefusal !== undefined));
    const [failures, ...otherFailures] = rules.filter(({ judgeFailures }) => judgeFailures !== undefined);
    expect(otherFailures).toEqual([]);
    expect(failures).toMatchObject(failureJudge);
    expect(rules.filter(({ judgeOperations }) => judgeOperations !== undefined)).toEqual([latencyRule]);
    expect(moneyRules).toEqual(rules.filter(({ judgeMoney }) => judgeMoney !== undefined));
    expect(rules.filter(({ judgeWarning }) => judgeWarning !== undefined).map(({ id }) => id)).toEqual([
      "early_fraud_warning",
    ]);
    expect(leastNeed("silentIntervals")).toBe(silentIntervals);
    expect(leastNeed("failureWindowMs")).toBe(failureJudge.needs().failureWindowMs);
    expect(latencyRule.needs().slowOperationMs).toBeGreaterThan(0);
  });
});

it("other folders import only rule.ts, rules.ts and thresholds.ts, and a drill the rule that it runs", () => {
  const { stdout } = spawnSync("git", ["ls-files", "shared/*.ts", "functions/*.ts", ":!functions/console/app"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = stdout.split("\n").filter((file) => file !== "" && !file.startsWith("shared/detection/rules/"));
  const imported = files.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/from "[./]*(?:detection\/)?rules\/([a-z-]+\.ts)"/g)].map(([, module]) => module);
  });
  expect([...new Set(imported)].sort()).toEqual(["repeated-auth-failures.ts", "rule.ts", "rules.ts", "thresholds.ts"]);
});

describe.each(allCases)("$rule", ({ rule, cases }) => {
  it.each(cases)("$title", (one) => {
    const { raised, findings } = replayCase(one, rule);
    expect(raised).toEqual(one.finds);
    if (one.evidence !== undefined) expect(findings[0]?.evidence).toMatchObject(one.evidence);
    const ids = new Set(one.events.map(({ id }) => id));
    for (const finding of findings) {
      expect(finding).toMatchObject({ rule });
      expect(finding.eventIds.every((id) => ids.has(id))).toBe(true);
      // Neither silence nor counts have security events.
      expect(finding.eventIds.length > 0).toBe(rule !== "sync_silence" && one.money === undefined);
      expect(finding.lastSeen).toBeGreaterThanOrEqual(finding.firstSeen);
    }
  });
});
