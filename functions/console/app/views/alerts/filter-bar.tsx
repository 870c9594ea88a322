import type { RefObject } from "preact";
import { Choice, Field } from "../../parts/field.tsx";
import { levelNames, levels } from "../../words/levels.ts";
import { useOwnRuleOptions } from "../own-rules/use-own-rules.ts";
import { type StatusChoice, statusChoiceOf, type Wanted } from "./triage.ts";
import { ruleName, rules } from "./words.ts";

type Props = {
  wanted: Wanted;
  search: RefObject<HTMLInputElement | null>;
  onChoose: (changes: Wanted, options?: { replace: boolean }) => void;
  /** Leaves the search for the list. */
  onDone: () => void;
};

const statusOptions: readonly (readonly [StatusChoice, string])[] = [
  ["unresolved", "Unresolved"],
  ["open", "Open"],
  ["acknowledged", "Acknowledged"],
  ["resolved", "Resolved"],
  ["all", "All"],
];
const ruleOptions = Object.entries(rules)
  .map(([rule, { name }]) => [rule, name] as const)
  .sort(([, one], [, other]) => one.localeCompare(other));

export const FilterBar = ({ wanted, search, onChoose, onDone }: Props) => {
  const { level = "", rule = "", assignee = "", q = "" } = wanted;
  const known = [...ruleOptions, ...useOwnRuleOptions()];
  return (
    <search class="filters alerts-filters">
      <Choice
        label="Status"
        value={statusChoiceOf(wanted)}
        options={statusOptions}
        onChoose={(status) => onChoose({ status: status === "unresolved" ? undefined : status })}
      />
      <Choice<string>
        label="Level"
        value={level}
        options={[["", "All"], ...levels.map((one) => [one, levelNames[one]] as const)]}
        onChoose={(chosen) => onChoose({ level: chosen })}
      />
      <Choice<string>
        label="Rule"
        value={rule}
        options={[
          ["", "All"],
          ...known,
          ...(rule === "" || known.some(([one]) => one === rule) ? [] : [[rule, ruleName(rule)] as const]),
        ]}
        onChoose={(chosen) => onChoose({ rule: chosen })}
      />
      <Choice<string>
        label="Assigned to"
        value={assignee}
        options={[
          ["", "Everybody"],
          ["mine", "Me"],
          ...(assignee === "" || assignee === "mine" ? [] : [[assignee, assignee] as const]),
        ]}
        onChoose={(chosen) => onChoose({ assignee: chosen })}
      />
      <Field label="Search">
        {(control) => (
          <input
            {...control}
            ref={search}
            type="search"
            value={q}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => onChoose({ q: currentTarget.value }, { replace: true })}
            onKeyDown={(event) => {
              if (event.key === "Escape" && q !== "") {
                event.preventDefault();
                onChoose({ q: undefined }, { replace: true });
              } else if (event.key === "Enter" || event.key === "Escape") onDone();
            }}
          />
        )}
      </Field>
    </search>
  );
};
