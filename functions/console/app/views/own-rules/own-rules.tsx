/** The organization's own rules: what each finds, and what a dry run would have raised. */
import { useMay } from "../../access.ts";
import type { CustomRule } from "../../api/types.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, Level, RelativeTime } from "../../parts/values.tsx";
import { plural } from "../../words/format.ts";
import { OWN_RULES_PATH, ownRuleAddress, ruleInWords } from "./own-rule-words.ts";
import { useOwnRules } from "./use-own-rules.ts";

export const Mode = ({ mode }: Pick<CustomRule, "mode">) =>
  mode === "live" ? <Badge tone="good">Live</Badge> : <Badge tone="accent">Dry run</Badge>;

const columns: readonly Column<CustomRule>[] = [
  {
    head: "Rule",
    isHead: true,
    cell: (rule) => (
      <>
        <a href={ownRuleAddress(rule.id)}>{rule.name}</a>
        <p class="quiet">{ruleInWords(rule)}</p>
      </>
    ),
  },
  { head: "Level", cell: ({ level }) => <Level level={level} /> },
  {
    head: "Mode",
    cell: ({ mode, dryRun }) => (
      <div>
        <Mode mode={mode} />
        {dryRun !== undefined && <p class="quiet">{plural(dryRun.wouldHaveRaised, "finding")} so far</p>}
      </div>
    ),
  },
  {
    head: "Changed",
    cell: ({ changedAt, changedBy }) => (
      <div>
        <RelativeTime at={changedAt} />
        <p class="quiet">by {changedBy}</p>
      </div>
    ),
  },
];

export const View = () => {
  const rules = useOwnRules();
  const mayManage = useMay("security:manage");
  const make = mayManage && (
    <a class="button main" href={`${OWN_RULES_PATH}/new`}>
      New rule …
    </a>
  );
  return (
    <Page
      title="Own rules"
      lead="What your organization wants to be told of, beside the rules that come with the service."
      actions={make}
    >
      <Loaded
        of={rules}
        what="own rules"
        isEmpty={({ length }) => length === 0}
        empty={
          <Empty title="No own rules yet">
            <p>
              A rule counts events, such as changes of the connection in a day, and raises an alert if there are too
              many or too few. Begin with a dry run: it shows what the rule would have raised.
            </p>
          </Empty>
        }
      >
        {(all) => <Table label="Own rules" class="rows" rows={all} keyOf={({ id }) => id} columns={columns} />}
      </Loaded>
    </Page>
  );
};
