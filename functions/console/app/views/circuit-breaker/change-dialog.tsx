/** Asks for the details of an action, and says what will happen. */
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { CircuitAction, OrganizationStats } from "../../api/types.ts";
import { serviceNow, useNow } from "../../clock.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { useDraft } from "../../parts/draft.ts";
import { Field, Choice as Select } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.tsx";
import { type Action, type Choice, type End, ends, explain, firstChoice, untilOf } from "./hold.ts";

/** As the API accepts it, in characters. */
const MOST_REASON = 512;

type FieldsProps = { choice: Choice; isInvalid: boolean; onChange: (changes: Partial<Choice>) => void };

const EndFields = ({ choice, isInvalid, onChange }: FieldsProps) => (
  <>
    <Select<End>
      label="It ends"
      value={choice.end}
      options={Object.entries(ends) as [End, string][]}
      onChoose={(end) => onChange({ end: end || firstChoice.end })}
    />
    {choice.end === "custom" && (
      <Field label="End (your time)" error={isInvalid ? "Choose a time in the future." : undefined}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            value={choice.time}
            onInput={({ currentTarget }) => onChange({ time: currentTarget.value })}
          />
        )}
      </Field>
    )}
  </>
);

type Props = { action: Action; onClose: () => void; onChanged: (circuit: OrganizationStats) => void };

export const ChangeDialog = ({ action, onClose, onChanged }: Props) => {
  const now = useNow();
  const [draft, setDraft] = useDraft<Choice>(`circuit breaker ${action}`);
  const choice = { ...firstChoice, ...draft };
  const change = useAction((body: CircuitAction, key) =>
    answer(
      api.POST("/api/integrations/provider/circuit-breaker", {
        params: { header: { "Idempotency-Key": key } },
        body,
      }),
    ),
  );
  const isReset = action === "reset";
  const until = isReset ? null : untilOf(choice, now);
  const { title, effects, confirm, done } = explain(action, until ?? null, now);

  const send = async (): Promise<void> => {
    const end = isReset ? null : untilOf(choice, serviceNow());
    if (end === undefined) return;
    const reason = choice.reason.trim();
    const circuit = await change.run({ action, ...(reason !== "" && { reason }), ...(end !== null && { until: end }) });
    if (circuit === undefined) return;
    setDraft(undefined);
    notify(done);
    onChanged(circuit);
  };

  return (
    <Confirm
      title={title}
      confirm={confirm}
      isDangerous={!isReset}
      isRunning={change.isRunning}
      problem={change.problem}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      {!isReset && (
        <EndFields
          choice={choice}
          isInvalid={until === undefined && choice.time !== ""}
          onChange={(changes) => setDraft({ ...choice, ...changes })}
        />
      )}
      <Field label="Reason" hint="Kept in the history and the compliance report. Others see it.">
        {(control) => (
          <textarea
            {...control}
            rows={2}
            maxLength={MOST_REASON}
            value={choice.reason}
            onInput={({ currentTarget }) => setDraft({ ...choice, reason: currentTarget.value })}
          />
        )}
      </Field>
      {until === undefined ? (
        <p>Choose when it ends.</p>
      ) : (
        <ul class="breaker-effects" aria-label="What will happen">
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      )}
    </Confirm>
  );
};
