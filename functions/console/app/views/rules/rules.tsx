/** The built-in rules of detection: which are on, and what was changed. One of them may be open, to change it. */
import { useRoute } from "preact-iso/router";
import { useMay } from "../../access.ts";
import type { DetectionRule } from "../../api/types.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge } from "../../parts/values.tsx";
import { rules as words } from "../alerts/words.ts";
import { settingsInWords } from "./rule-draft.ts";
import { RuleForm } from "./rule-form.tsx";
import { RULES_PATH } from "./rules-path.ts";
import { ruleAddress, useRules } from "./use-rules.ts";

const EVERY_MS = 60_000;

const nameOf = (rule: string): string => words[rule]?.name ?? rule;

const columns: readonly Column<DetectionRule>[] = [
  {
    head: "Rule",
    isHead: true,
    cell: ({ rule }) => (
      <>
        <a href={ruleAddress(rule)}>{nameOf(rule)}</a>
        <p class="quiet">{words[rule]?.means}</p>
      </>
    ),
  },
  {
    head: "State",
    cell: ({ enabled }) => <Badge tone={enabled ? "good" : "bad"}>{enabled ? "On" : "Off"}</Badge>,
  },
  { head: "Settings", cell: (rule) => settingsInWords(rule).join(", ") || "as delivered" },
  {
    head: "MITRE ATT&CK",
    cell: ({ attack }) => attack.map(({ tactic, technique }) => `${technique} (${tactic})`).join(", "),
  },
];

const OneRule = ({ rule, onChanged }: { rule: DetectionRule; onChanged: (rule: DetectionRule) => void }) => (
  <Page title={nameOf(rule.rule)} lead={words[rule.rule]?.means}>
    <p>
      <a href={RULES_PATH}>All rules</a>
    </p>
    <RuleForm key={rule.rule} rule={rule} name={nameOf(rule.rule)} onChanged={onChanged} />
  </Page>
);

export const View = () => {
  const { params } = useRoute();
  const rules = useRules(useMay("security:read"), EVERY_MS);
  const replace = (changed: DetectionRule): void => {
    rules.show((rules.value ?? []).map((one) => (one.rule === changed.rule ? changed : one)));
  };
  if (params.rule !== undefined && rules.value !== undefined) {
    const open = rules.value?.find(({ rule }) => rule === params.rule);
    if (open !== undefined) return <OneRule rule={open} onChanged={replace} />;
    return (
      <Page title="Rule">
        <Empty title="There is no such rule.">
          <a href={RULES_PATH}>All rules</a>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title="Rules" lead="What detection looks for. A rule that is off finds nothing.">
      <Loaded of={rules} what="the rules">
        {(all) => <Table class="rows" rows={all ?? []} keyOf={({ rule }) => rule} columns={columns} />}
      </Loaded>
    </Page>
  );
};
