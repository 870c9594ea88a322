import { Checks } from "../../parts/checks.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import { levelNames, levels } from "../../words/levels.ts";
import type { Draft, DraftProblems } from "./draft.ts";
import { useDestinations } from "./use-destinations.ts";

type Props = {
  draft: Draft;
  problems: DraftProblems;
  /** The destination that is changed: it cannot escalate to itself. */
  ownId: string | undefined;
  onEdit: (changes: Partial<Draft>) => void;
};

/** Where an alert goes that nobody acknowledges in time. */
export const EscalationFields = ({ draft, problems, ownId, onEdit }: Props) => {
  const { isEscalated, escalate } = draft;
  const others = (useDestinations().value ?? []).filter(({ id }) => id !== ownId);
  const edit = (changes: Partial<Draft["escalate"]>): void => onEdit({ escalate: { ...escalate, ...changes } });
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={isEscalated} onChange={() => onEdit({ isEscalated: !isEscalated })} />
        Escalate: if nobody acknowledges an alert in time, send it to another destination
      </label>
      {isEscalated && (
        <>
          <Checks
            legend="Levels that are escalated"
            options={levels.map((level) => [level, levelNames[level]] as const)}
            chosen={escalate.levels}
            error={problems.escalateLevels}
            onChoose={(chosen) => edit({ levels: chosen })}
          />
          <div class="times">
            <TextField
              label="After, in minutes"
              hint="5 to 1440, from the message to this destination on."
              error={problems.escalateAfter}
              inputMode="numeric"
              value={escalate.afterMinutes}
              onType={(afterMinutes) => edit({ afterMinutes })}
            />
            <Choice<string>
              label="To"
              value={escalate.to}
              options={[
                ["", "Choose a destination"],
                ...others.map(({ id, name }) => [id, name] as const),
                // It may have been deleted, or is not read yet.
                ...(escalate.to === "" || others.some(({ id }) => id === escalate.to)
                  ? []
                  : [[escalate.to, escalate.to] as const]),
              ]}
              onChoose={(to) => edit({ to })}
            />
          </div>
          {problems.escalateTo !== undefined && <p class="field-error">{problems.escalateTo}</p>}
          {others.length === 0 && <p class="quiet">Add the other destination first. There is none yet.</p>}
          <p class="hint">It goes there once, past that destination's filter. Muted alerts do not escalate.</p>
        </>
      )}
    </>
  );
};
