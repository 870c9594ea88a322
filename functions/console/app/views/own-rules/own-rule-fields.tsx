/** The fields of an own rule, in the order of the sentence that they become. */
import { eventTypes } from "../../api/event-types.ts";
import { Checks } from "../../parts/checks.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import { LinesField, NetworksField, UsersField } from "../../parts/lines-field.tsx";
import { NameField } from "../../parts/name-field.tsx";
import { Options } from "../../parts/options.tsx";
import { Card } from "../../parts/page.tsx";
import { Picks } from "../../parts/picks.tsx";
import { inWords } from "../../words/format.ts";
import { levelNames, levels } from "../../words/levels.ts";
import { filters } from "../events/selection.ts";
import { type OwnRuleDraft, type OwnRuleProblems, problemsOf, requestOf, windows } from "./own-rule-draft.ts";
import { groupNames, measureNames, ruleInWords, windowInWords } from "./own-rule-words.ts";

type Props = { draft: OwnRuleDraft; problems: OwnRuleProblems; onEdit: (changes: Partial<OwnRuleDraft>) => void };

const named = (values: readonly string[]) =>
  values.map((value) => [value, inWords(value)] as const).sort(([, one], [, other]) => one.localeCompare(other));

const typeOptions = named(Object.keys(eventTypes));
const resourceOptions = named([
  "provider_account",
  "invoice",
  "subscription",
  "payment",
  "customer",
  "circuit_breaker",
  "security_event",
  "plant",
  "report",
]);
const levelOptions = levels.map((level) => [level, levelNames[level]] as const);

const Events = ({ draft, problems, onEdit }: Props) => (
  <Card
    title="Which events"
    note="An event counts if it fits everything that you choose. Leave out what does not matter."
  >
    {problems.filter !== undefined && <p class="field-error">{problems.filter}</p>}
    <Picks
      label="Types"
      options={typeOptions}
      chosen={draft.eventTypes}
      all="All types"
      onChoose={(chosen) => onEdit({ eventTypes: chosen })}
    />
    <Choice<OwnRuleDraft["success"]>
      label="Outcome"
      value={draft.success}
      options={[["", "All"], ...filters.success.options]}
      onChoose={(success) => onEdit({ success })}
    />
    <UsersField
      label="Users"
      isOptional
      error={problems.userIds}
      rows={2}
      value={draft.userIds}
      onType={(userIds) => onEdit({ userIds })}
    />
    <NetworksField
      label="Networks"
      isOptional
      error={problems.networks}
      rows={2}
      value={draft.networks}
      onType={(networks) => onEdit({ networks })}
    />
    <details>
      <summary>More about the events</summary>
      <Checks
        legend="Categories"
        options={filters.category.options}
        chosen={draft.categories}
        onChoose={(chosen) => onEdit({ categories: chosen })}
      />
      <Checks
        legend="Caused by"
        options={filters.source.options}
        chosen={draft.sources}
        onChoose={(chosen) => onEdit({ sources: chosen })}
      />
      <Checks
        legend="Levels of the events"
        options={levelOptions}
        chosen={draft.levels}
        onChoose={(chosen) => onEdit({ levels: chosen })}
      />
      <Picks
        label="Kinds of resources"
        options={resourceOptions}
        chosen={draft.resourceTypes}
        all="All kinds"
        onChoose={(chosen) => onEdit({ resourceTypes: chosen })}
      />
      <LinesField
        label="Error codes"
        isOptional
        error={problems.errorCodes}
        rows={2}
        value={draft.errorCodes}
        onType={(errorCodes) => onEdit({ errorCodes })}
      />
    </details>
  </Card>
);

const CONDITIONS = [
  { value: "gte", name: "Too many", text: "An alert if so many of them come within the time." },
  { value: "lt", name: "Silence", text: "An alert if fewer come within the time. Times count from 00:00 UTC." },
] as const;

const Condition = ({ draft, problems, onEdit }: Props) => {
  const { condition, windowMinutes } = draft;
  const offered: readonly number[] = windows.filter((minutes) => condition === "gte" || minutes % 60 === 0);
  const choices = [...new Set([...offered, Number(windowMinutes)])].sort((one, other) => one - other);
  return (
    <Card title="When">
      <Options
        legend="It finds"
        options={CONDITIONS}
        value={condition}
        onChoose={(choice) => onEdit({ condition: choice })}
      />
      <div class="times">
        <TextField
          label={condition === "gte" ? "At least" : "Fewer than"}
          error={problems.threshold}
          inputMode="numeric"
          value={draft.threshold}
          onType={(threshold) => onEdit({ threshold })}
        />
        {condition === "gte" && (
          <Choice<OwnRuleDraft["measure"]>
            label="Of"
            value={draft.measure}
            options={Object.entries(measureNames) as [OwnRuleDraft["measure"], string][]}
            onChoose={(measure) => measure !== "" && onEdit({ measure })}
          />
        )}
        <Choice<string>
          label="Within"
          value={windowMinutes}
          options={choices.map((minutes) => [String(minutes), windowInWords(minutes)] as const)}
          onChoose={(chosen) => onEdit({ windowMinutes: chosen })}
        />
        {condition === "gte" && (
          <Choice<OwnRuleDraft["groupBy"]>
            label="Counted for"
            value={draft.groupBy}
            options={[
              ["", "the whole organization"],
              ...(Object.entries(groupNames) as [OwnRuleDraft["groupBy"], string][]).map(
                ([group, name]) => [group, `each ${name}`] as const,
              ),
            ]}
            onChoose={(groupBy) => onEdit({ groupBy })}
          />
        )}
      </div>
      {problems.window !== undefined && <p class="field-error">{problems.window}</p>}
    </Card>
  );
};

const MODES = [
  {
    value: "dryRun",
    name: "Dry run",
    text: "Raises nothing. The rule shows what it would have raised, from its next hour on.",
  },
  { value: "live", name: "Live", text: "Raises alerts, which destinations get like all others." },
] as const;

const Alerts = ({ draft, problems, onEdit }: Props) => (
  <Card title="What it raises">
    <NameField
      hint="The title of its alerts: what has happened, in a few words."
      error={problems.name}
      name={draft.name}
      onName={(name) => onEdit({ name })}
    />
    <Choice<OwnRuleDraft["level"]>
      label="Level of its alerts"
      value={draft.level}
      options={levelOptions}
      onChoose={(level) => level !== "" && onEdit({ level })}
    />
    <Options legend="Mode" options={MODES} value={draft.mode} onChoose={(mode) => onEdit({ mode })} />
    <details>
      <summary>MITRE ATT&CK</summary>
      <TextField
        label="Tactics and techniques, one pair in each line (optional)"
        hint="Such as TA0006 T1110.001. Alerts and notifications carry them."
        error={problems.attack}
        rows={2}
        isId
        value={draft.attack}
        onType={(attack) => onEdit({ attack })}
      />
    </details>
  </Card>
);

/** What was chosen so far, as soon as it is a rule. */
const Sentence = ({ draft }: Pick<Props, "draft">) => {
  const { filter, threshold } = problemsOf(draft);
  return (
    <p role="status">
      {filter === undefined && threshold === undefined && (
        <>
          <b>{draft.mode === "live" ? "Raises an alert: " : "Counts, and raises nothing: "}</b>
          {ruleInWords(requestOf(draft))}.
        </>
      )}
    </p>
  );
};

export const OwnRuleFields = (props: Props) => (
  <>
    <Events {...props} />
    <Condition {...props} />
    <Alerts {...props} />
    <Sentence draft={props.draft} />
  </>
);
