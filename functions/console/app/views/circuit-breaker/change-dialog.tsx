/** Asks for the details of an action, and says what will happen. */
import { answer, api, once } from "../../api/client.ts";
import type { CircuitAction, OrganizationStats } from "../../api/types.ts";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { useDraft } from "../../parts/draft.ts";
import { Choice as Select, TextField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.ts";
import { Bullets } from "../../parts/page.tsx";
import { serviceNow, useNow } from "../../words/clock.ts";
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
      <TextField
        label="End (your time)"
        error={isInvalid ? "Choose a time in the future." : undefined}
        type="datetime-local"
        value={choice.time}
        onType={(time) => onChange({ time })}
      />
    )}
  </>
);

type Props = { action: Action; onClose: () => void; onChanged: (circuit: OrganizationStats) => void };

export const ChangeDialog = ({ action, onClose, onChanged }: Props) => {
  const now = useNow();
  const [draft, setDraft] = useDraft<Choice>(`circuit breaker ${action}`);
  const choice = { ...firstChoice, ...draft };
  const isReset = action === "reset";
  const until = isReset ? null : untilOf(choice, now);
  const { title, effects, confirm, done } = explain(action, until ?? null, now);
  const change = useConfirmed(
    (body: CircuitAction, key) =>
      answer(api.POST("/api/integrations/provider/circuit-breaker", { params: once(key), body })),
    (circuit) => {
      setDraft(undefined);
      notify(done);
      onChanged(circuit);
    },
  );
  const send = (): void => {
    const end = isReset ? null : untilOf(choice, serviceNow());
    if (end === undefined) return;
    const reason = choice.reason.trim();
    change.confirm({ action, ...(reason !== "" && { reason }), ...(end !== null && { until: end }) });
  };

  return (
    <Confirm title={title} confirm={confirm} isDangerous={!isReset} action={change} onConfirm={send} onClose={onClose}>
      {!isReset && (
        <EndFields
          choice={choice}
          isInvalid={until === undefined && choice.time !== ""}
          onChange={(changes) => setDraft({ ...choice, ...changes })}
        />
      )}
      <TextField
        label="Reason"
        hint="Kept in the history and the compliance report. Others see it."
        rows={2}
        maxLength={MOST_REASON}
        value={choice.reason}
        onType={(reason) => setDraft({ ...choice, reason })}
      />
      {until === undefined ? <p>Choose when it ends.</p> : <Bullets label="What will happen" of={effects} />}
    </Confirm>
  );
};
