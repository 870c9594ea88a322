import { useMay } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import type { DetectionRule } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/draft.ts";
import { Choice, TextField } from "../../parts/field.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { NetworksField, UsersField } from "../../parts/lines-field.tsx";
import { notify } from "../../parts/notices.ts";
import { Card } from "../../parts/page.tsx";
import { StaleNote } from "../../parts/stale-note.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { inWords } from "../../words/format.ts";
import { levelNames, levels } from "../../words/levels.ts";
import { PreviewCard, type Previewed } from "../previews/preview-card.tsx";
import { draftOf, hasMistakes, hintOf, type Mistakes, mistakesOf, type RuleDraft, requestOf } from "./rule-draft.ts";
import { putRule } from "./use-rules.ts";

type PartProps = {
  rule: DetectionRule;
  draft: RuleDraft;
  mistakes: Mistakes;
  onEdit: (changes: Partial<RuleDraft>) => void;
};

const Behaviour = ({ rule, draft, mistakes, onEdit }: PartProps) => (
  <Card title="What it finds">
    <label class="check">
      <input type="checkbox" checked={draft.enabled} onChange={() => onEdit({ enabled: !draft.enabled })} />
      The rule is on
    </label>
    {!draft.enabled && <p class="quiet">A rule that is off finds nothing, and raises an alert that says so.</p>}
    <Choice
      label="Level of its alerts"
      value={draft.level}
      options={[["", "As the rule says"], ...levels.map((level) => [level, levelNames[level]] as const)]}
      onChoose={(level) => onEdit({ level })}
    />
    <p class="hint">What is critical stays critical.</p>
    {Object.entries(rule.thresholds).map(([name, threshold]) => (
      <TextField
        key={name}
        label={inWords(name)}
        hint={hintOf(threshold)}
        error={mistakes.thresholds[name]}
        inputMode="numeric"
        value={draft.thresholds[name] ?? ""}
        onType={(text) => onEdit({ thresholds: { ...draft.thresholds, [name]: text } })}
      />
    ))}
  </Card>
);

const KnownCallers = ({ draft, mistakes, onEdit }: Omit<PartProps, "rule">) => (
  <Card
    title="Known callers"
    note="The rule does not see events from these networks or of these users. It is then blind to attacks from there, too."
  >
    <NetworksField
      label="Known networks"
      error={mistakes.networks}
      rows={4}
      value={draft.networks}
      onType={(networks) => onEdit({ networks })}
    />
    <UsersField
      label="Known users"
      error={mistakes.users}
      rows={4}
      value={draft.users}
      onType={(users) => onEdit({ users })}
    />
  </Card>
);

const previewOf = (rule: DetectionRule, draft: RuleDraft): Previewed => {
  const { revision: _, ...settings } = requestOf(rule, draft);
  return { rule: { rule: rule.rule, ...settings } as NonNullable<Previewed["rule"]> };
};

type Props = { rule: DetectionRule; name: string; onChanged: (rule: DetectionRule) => void };

export const RuleForm = ({ rule, name, onChanged }: Props) => {
  const [stored, setDraft] = useDraft<RuleDraft>(`rule ${rule.rule}`);
  const mayManage = useMay("security:manage");
  const draft = stored ?? draftOf(rule);
  const mistakes = mistakesOf(rule, draft);
  const isStale = draft.revision !== rule.revision;
  const save = useAction((edited: RuleDraft) => putRule(rule.rule, requestOf(rule, edited)));
  const edit = (changes: Partial<RuleDraft>): void => {
    save.clear();
    setDraft({ ...draft, ...changes });
  };
  const submit = async (): Promise<void> => {
    const changed = await save.run(draft);
    if (changed === undefined) return;
    setDraft(undefined);
    onChanged(changed);
    notify(`${name}: the settings are saved. They count from the next hour that is judged.`);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!hasMistakes(mistakes) && !save.isRunning) void submit();
      }}
    >
      <Behaviour rule={rule} draft={draft} mistakes={mistakes} onEdit={edit} />
      <KnownCallers draft={draft} mistakes={mistakes} onEdit={edit} />
      {stored !== undefined && isStale && (
        <StaleNote
          what="this rule since you began."
          onKeep={() => setDraft({ ...draft, revision: rule.revision })}
          onTake={() => setDraft(undefined)}
        />
      )}
      <PreviewCard of={hasMistakes(mistakes) ? undefined : previewOf(rule, draft)} version={JSON.stringify(draft)} />
      {save.problem !== undefined && <ProblemNote problem={save.problem} />}
      <div class="actions">
        <Button
          type="submit"
          kind="main"
          isRunning={save.isRunning}
          disabled={!mayManage || stored === undefined || isStale || hasMistakes(mistakes)}
        >
          Save
        </Button>
        <Button onClick={() => setDraft(undefined)} disabled={stored === undefined || save.isRunning}>
          Discard changes
        </Button>
      </div>
      <LeaveGuard isDirty={stored !== undefined} what="Your changes of the rule" onLeave={() => setDraft(undefined)} />
    </form>
  );
};
