/** One own rule: what a dry run would have raised, its settings, and how to delete it. */
import { useLocation, useRoute } from "preact-iso/router";
import { useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { CustomRule, CustomRuleDryRun, CustomRuleSample } from "../../api/types.ts";
import { AskingButton, Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.ts";
import { Card, Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { ShortTime, TimeAndAge } from "../../parts/values.tsx";
import { addressOf, eventAddress } from "../../words/address.ts";
import { formatNumber, plural } from "../../words/format.ts";
import { OWN_RULE, subjectOf } from "../alerts/words.ts";
import { OwnRuleForm } from "./own-rule-form.tsx";
import { OWN_RULES_PATH } from "./own-rule-words.ts";
import { Mode } from "./own-rules.tsx";
import { API, putOwnRule } from "./use-own-rules.ts";

const EVERY_MS = 60_000;

const DeleteButton = ({ rule: { id, name } }: { rule: CustomRule }) => {
  const { route } = useLocation();
  const remove = useConfirmed(
    (_: undefined) => answer(api.DELETE(`${API}/{id}`, { params: { path: { id } } })),
    () => {
      notify(`${name}: the rule is deleted.`);
      route(OWN_RULES_PATH, true);
    },
  );
  return (
    <AskingButton name="Delete …" kind="danger">
      {(close) => (
        <Confirm
          title="Delete the rule?"
          confirm="Delete the rule"
          isDangerous
          action={remove}
          onConfirm={() => remove.confirm(undefined)}
          onClose={() => {
            remove.clear();
            close();
          }}
        >
          <p>“{name}” finds nothing from now on. Alerts that it has raised stay as they are.</p>
        </Confirm>
      )}
    </AskingButton>
  );
};

const columns: readonly Column<CustomRuleSample>[] = [
  {
    head: "About",
    isHead: true,
    cell: ({ subject }) => subjectOf({ rule: OWN_RULE, subject })?.text,
  },
  { head: "Counted", isNumber: true, cell: ({ count }) => formatNumber(count) },
  { head: "Last seen", cell: ({ lastSeen }) => <ShortTime at={lastSeen} /> },
  { head: "Newest event", cell: ({ eventIds: [id] }) => id !== undefined && <a href={eventAddress(id)}>Open it</a> },
];

const DryRun = ({ of: { since, wouldHaveRaised, samples } }: { of: CustomRuleDryRun }) => (
  <Card title="What it would have raised">
    <p>
      <b>{plural(wouldHaveRaised, "finding")}</b> since <TimeAndAge at={since} />. An hour is judged within an hour
      after its end.
    </p>
    {samples.length > 0 && (
      <Table
        label="The newest findings"
        class="rows"
        rows={samples}
        keyOf={({ subject, hour }) => `${subject} ${hour}`}
        columns={columns}
      />
    )}
  </Card>
);

export const View = () => {
  const { id = "" } = useRoute().params;
  const mayManage = useMay("security:manage");
  const rule = useResource(
    `own rule ${id}`,
    (signal) => answer(api.GET(`${API}/{id}`, { params: { path: { id } }, signal })),
    { everyMs: EVERY_MS },
  );
  const { value, problem } = rule;
  const all = <a href={OWN_RULES_PATH}>All own rules</a>;
  if (problem?.status === 404)
    return (
      <Page title="Own rule" lead={all}>
        <Empty title="There is no such rule">
          <p>It may have been deleted. Or the address is mistyped.</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title={value?.name ?? "Own rule"}
      lead={all}
      actions={
        value !== undefined && (
          <>
            <Mode mode={value.mode} />
            <a class="button" href={addressOf("/console/alerts", { status: "all", rule: `${OWN_RULE}${id}` })}>
              Its alerts
            </a>
            {mayManage && <DeleteButton rule={value} />}
          </>
        )
      }
    >
      <Loaded of={rule} what="the rule">
        {(found) => (
          <>
            {found.dryRun !== undefined && <DryRun of={found.dryRun} />}
            <OwnRuleForm
              key={id}
              rule={found}
              submit="Save"
              save={(request, revision) => putOwnRule(id, { ...request, revision })}
              onSaved={(saved) => {
                rule.show(saved);
                notify(`${saved.name}: the rule is saved. It counts anew from this hour on.`);
              }}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
};
