import { Checks } from "../../parts/checks.tsx";
import { Options } from "../../parts/options.tsx";
import { levelNames, levels } from "../../words/levels.ts";
import { rules as ruleWords } from "../alerts/words.ts";
import { useOwnRuleOptions } from "../own-rules/use-own-rules.ts";
import { changeNames, reportNames } from "./destination-words.ts";
import { changes, type Draft, type DraftProblems, rhythms } from "./draft.ts";

/** With own rules, and with what its users may have set by the API. */
const useRuleOptions = (chosen: readonly string[]) => {
  const known = [...Object.entries(ruleWords).map(([rule, { name }]) => [rule, name] as const), ...useOwnRuleOptions()];
  const isKnown = (rule: string): boolean => known.some(([one]) => one === rule);
  return [...known, ...chosen.filter((rule) => !isKnown(rule)).map((rule) => [rule, rule] as const)];
};

const named = <Value extends string>(values: readonly Value[], names: Readonly<Record<string, string>>) =>
  values.map((value) => [value, names[value] ?? value] as const);

type Props = { draft: Draft; problems: DraftProblems; hasReports: boolean; onEdit: (changes: Partial<Draft>) => void };

/** What the destination gets. */
export const FilterFields = ({ draft, problems, hasReports, onEdit }: Props) => {
  const ruleOptions = useRuleOptions(draft.rules ?? []);
  return (
    <>
      <Checks
        legend="Levels"
        options={named(levels, levelNames)}
        chosen={draft.levels}
        error={problems.levels}
        onChoose={(chosen) => onEdit({ levels: chosen })}
      />
      <Checks
        legend="When an alert is"
        options={named(changes, changeNames)}
        chosen={draft.changes}
        error={problems.changes}
        onChoose={(chosen) => onEdit({ changes: chosen })}
      />
      <Options
        legend="Rules"
        options={[
          { value: "all", name: "All rules", text: "Also those that come with a later version of the service." },
          { value: "some", name: "Only some", text: "Alerts of the rules that you choose." },
        ]}
        value={draft.rules === undefined ? "all" : "some"}
        onChoose={(choice) => onEdit({ rules: choice === "all" ? undefined : [] })}
      />
      {draft.rules !== undefined && (
        <Checks
          legend="Chosen rules"
          options={ruleOptions}
          chosen={draft.rules}
          error={problems.rules}
          onChoose={(chosen) => onEdit({ rules: chosen })}
        />
      )}
      {hasReports && (
        <Checks
          legend="Reports, as links to their pages"
          options={named(rhythms, reportNames)}
          chosen={draft.reports}
          onChoose={(chosen) => onEdit({ reports: chosen })}
        />
      )}
    </>
  );
};
