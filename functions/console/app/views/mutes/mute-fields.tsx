import { Checks } from "../../parts/checks.tsx";
import { Choice, Field, TextField } from "../../parts/field.tsx";
import { Options } from "../../parts/options.tsx";
import { Card } from "../../parts/page.tsx";
import { TimeOfDay, Zone } from "../../parts/zoned-fields.tsx";
import { serviceNow } from "../../words/clock.ts";
import { formatTime, inWords } from "../../words/format.ts";
import { levelNames, levels } from "../../words/levels.ts";
import { ruleName, rules as ruleWords, subjectOf } from "../alerts/words.ts";
import { useOwnRuleOptions } from "../own-rules/use-own-rules.ts";
import { isMutable, type MuteDraft, type MuteProblems, timesOf, weekdays } from "./mute-draft.ts";

const MOST = { subject: 256, reason: 500 };

type Props = { draft: MuteDraft; problems: MuteProblems; onEdit: (changes: Partial<MuteDraft>) => void };

const builtIn = Object.entries(ruleWords).flatMap(([rule, { name }]) =>
  isMutable(rule) ? [[rule, name] as const] : [],
);

const What = ({ draft, problems, onEdit }: Props) => {
  const { rules, subject } = draft;
  const [rule] = rules ?? [];
  const options = [...builtIn, ...useOwnRuleOptions()];
  const unknown = (rules ?? []).filter((one) => !options.some(([known]) => known === one));
  return (
    <Card title="Which alerts">
      <Options
        legend="Rules"
        options={[
          { value: "some", name: "Only some", text: "Alerts of the rules that you choose." },
          {
            value: "all",
            name: "All rules",
            text: "All that can be muted. Alerts about muted or paused alarms cannot.",
          },
        ]}
        value={rules === undefined ? "all" : "some"}
        onChoose={(choice) => onEdit({ rules: choice === "all" ? undefined : [], subject: "" })}
      />
      {rules !== undefined && (
        <Checks
          legend="Chosen rules"
          options={[...options, ...unknown.map((one) => [one, ruleName(one)] as const)]}
          chosen={rules}
          error={problems.rules}
          onChoose={(chosen) => onEdit({ rules: chosen, subject: "" })}
        />
      )}
      {rules?.length === 1 && rule !== undefined && (
        <TextField
          label="Only about (optional)"
          hint={
            subject === ""
              ? "The subject of an alert, exactly as the API has it. Empty: all alerts of the rule."
              : `${subjectOf({ rule, subject })?.text ?? subject}. Empty it to mute all alerts of the rule.`
          }
          isId
          maxLength={MOST.subject}
          value={subject}
          onType={(text) => onEdit({ subject: text })}
        />
      )}
      <Checks
        legend="Levels"
        options={levels.map((level) => [level, levelNames[level]] as const)}
        chosen={draft.levels}
        error={problems.levels}
        onChoose={(chosen) => onEdit({ levels: chosen })}
      />
      {draft.levels.includes("CRITICAL") && (
        <p class="problem">Critical alerts will not be sent either. All destinations are told of it at once.</p>
      )}
    </Card>
  );
};

const ENDS = [
  { value: "hour", name: "After an hour", text: "Long enough for a restart." },
  { value: "morning", name: "Tomorrow at 8:00", text: "The morning after the beginning, in your time zone." },
  { value: "week", name: "After a week", text: "For a maintenance." },
  { value: "time", name: "At a time", text: "At most 90 days after the beginning." },
] as const;

type MomentProps = { label: string; value: string; error?: string | undefined; onChoose: (value: string) => void };

const Moment = ({ label, value, error, onChoose }: MomentProps) => (
  <Field label={label} error={error}>
    {(control) => (
      <input
        {...control}
        type="datetime-local"
        value={value}
        onInput={({ currentTarget }) => onChoose(currentTarget.value)}
      />
    )}
  </Field>
);

const When = ({ draft, problems, onEdit }: Props) => {
  const { beginning, from, end, until, isWeekly, weekly } = draft;
  const times = timesOf(draft, serviceNow());
  const editWeekly = (changes: Partial<MuteDraft["weekly"]>): void => onEdit({ weekly: { ...weekly, ...changes } });
  return (
    <Card title="When">
      <Choice<MuteDraft["beginning"]>
        label="Begins"
        value={beginning}
        options={[
          ["now", "Now"],
          ["later", "Later"],
        ]}
        onChoose={(choice) => onEdit({ beginning: choice === "later" ? choice : "now" })}
      />
      {beginning === "later" && (
        <Moment
          label="Beginning (your time)"
          value={from}
          error={problems.from}
          onChoose={(value) => onEdit({ from: value })}
        />
      )}
      <Options legend="Ends" options={ENDS} value={end} onChoose={(choice) => onEdit({ end: choice })} />
      {end === "time" && (
        <Moment
          label="End (your time)"
          value={until}
          error={problems.until}
          onChoose={(value) => onEdit({ until: value })}
        />
      )}
      {times.until !== undefined && <p class="quiet">It ends by itself: {formatTime(times.until)}.</p>}
      <label class="check">
        <input type="checkbox" checked={isWeekly} onChange={() => onEdit({ isWeekly: !isWeekly })} />
        Only in some hours of each week
      </label>
      {isWeekly && (
        <>
          <Checks
            legend="Days on which the hours begin"
            options={weekdays.map((day) => [day, inWords(day)] as const)}
            chosen={weekly.days}
            error={problems.days}
            onChoose={(days) => editWeekly({ days })}
          />
          <div class="times">
            <TimeOfDay label="From" time={weekly.from} onEnter={(time) => editWeekly({ from: time })} />
            <TimeOfDay
              label="To"
              time={weekly.to}
              error={problems.weekly}
              onEnter={(time) => editWeekly({ to: time })}
            />
            <Zone label="Time zone" zone={weekly.timeZone} onChoose={(zone) => editWeekly({ timeZone: zone })} />
          </div>
        </>
      )}
    </Card>
  );
};

export const MuteFields = (props: Props) => (
  <>
    <What {...props} />
    <When {...props} />
    <Card title="Why">
      <TextField
        label="Reason"
        hint="Colleagues and auditors read it beside your name."
        error={props.problems.reason}
        rows={2}
        maxLength={MOST.reason}
        value={props.draft.reason}
        onType={(reason) => props.onEdit({ reason })}
      />
    </Card>
  </>
);
