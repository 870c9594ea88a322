import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { NameField } from "../../parts/name-field.tsx";
import { Card } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { useTries } from "../../parts/use-tries.ts";
import { type DestinationType, types } from "./destination-words.ts";
import { type Draft, problemsOf } from "./draft.ts";
import { EscalationFields } from "./escalation-fields.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { TargetField } from "./target-field.tsx";

type Props = {
  type: DestinationType;
  draft: Draft;
  onEdit: (changes: Partial<Draft>) => void;
  /** The present address of a destination that is changed; undefined for a new one. */
  present?: string;
  /** The id of a destination that is changed. */
  ownId?: string;
  isRunning: boolean;
  problem: Problem | undefined;
  submit: string;
  onSubmit: (target: string) => void;
  onCancel: () => void;
  /** Above the fields. */
  children?: ComponentChildren;
};

export const DestinationForm = ({ type, draft, onEdit, present, ownId, isRunning, problem, ...rest }: Props) => {
  const { submit, onSubmit, onCancel, children } = rest;
  const { form, isTried, tryWith, attributesOf } = useTries();
  const [lacksTarget, setLacksTarget] = useState(false);
  const problems = isTried ? problemsOf(draft) : {};

  const send = (): void => {
    const target = form.current === null ? "" : String(new FormData(form.current).get("target")).trim();
    const isMissing = present === undefined && target === "";
    setLacksTarget(isMissing);
    if (tryWith({ ...problemsOf(draft), ...(isMissing && { target }) })) onSubmit(target);
  };

  return (
    <form autocomplete="off" {...attributesOf({ isBusy: isRunning, send })}>
      <Card title="Where">
        {children}
        <NameField
          hint="How you and your colleagues call it."
          error={problems.name}
          name={draft.name}
          onName={(name) => onEdit({ name })}
        />
        <TargetField
          key={type}
          type={type}
          present={present}
          error={lacksTarget ? `Enter the ${types[type].target.replace(/^E/, "e").replace(/^W/, "w")}.` : undefined}
        />
      </Card>
      <Card title="What">
        <FilterFields draft={draft} problems={problems} hasReports={type === "email"} onEdit={onEdit} />
      </Card>
      <Card title="When">
        <ScheduleFields draft={draft} problems={problems} onEdit={onEdit} />
        <EscalationFields draft={draft} problems={problems} ownId={ownId} onEdit={onEdit} />
      </Card>
      {problem !== undefined && (
        <ProblemNote problem={problem}>
          {problem.isTemporary && <p>What you entered is still here. Send it again: it is done once.</p>}
        </ProblemNote>
      )}
      <div class="actions">
        <Button type="submit" kind="main" isRunning={isRunning}>
          {isRunning ? "Saving …" : submit}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
};
