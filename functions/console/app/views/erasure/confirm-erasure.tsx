import { useState } from "preact/hooks";
import { useCaller } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { ErasureRequest } from "../../api/types.ts";
import { serviceNow } from "../../clock.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.tsx";
import { Time } from "../../parts/time.tsx";
import { effects } from "./proof.ts";
import type { Wanted } from "./request-form.tsx";

/** An erasure is completed within so many days: docs/erasure.md. */
const DUE_AFTER_MS = 30 * 24 * 3_600_000;

const requestOf = ({ scope, userId, reason }: Wanted): ErasureRequest => {
  const why = reason.trim() === "" ? {} : { reason: reason.trim() };
  return scope === "all" ? { scope, ...why } : { scope, userId: userId.trim(), ...why };
};

type Props = { wanted: Wanted; onClose: () => void; onRequested: () => void };

/** Says what happens, and has the user type what is erased. */
export const ConfirmErasure = ({ wanted, onClose, onRequested }: Props) => {
  const { organizationId } = useCaller();
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const isAll = wanted.scope === "all";
  const expected = isAll ? organizationId : wanted.userId.trim();
  const { removed, kept } = effects[wanted.scope];
  const request = useAction((body: ErasureRequest, key) =>
    answer(api.POST("/api/integrations/provider/erasure", { params: { header: { "Idempotency-Key": key } }, body })),
  );
  const confirm = async (): Promise<void> => {
    if (typed.trim() !== expected) return setWrong(true);
    const erasure = await request.run(requestOf(wanted));
    if (erasure === undefined) return;
    notify("The erasure is requested, and begins at once.");
    onRequested();
  };
  return (
    <Confirm
      title={isAll ? "Erase everything of this organization?" : "Erase this user’s data?"}
      confirm={isAll ? "Erase everything" : "Erase the user’s data"}
      isDangerous
      isRunning={request.isRunning}
      problem={request.problem}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>
        <b>An erasure cannot be undone or stopped.</b> It normally takes minutes, and is completed at the latest by{" "}
        <Time at={serviceNow() + DUE_AFTER_MS} />.
      </p>
      <h3>What is removed</h3>
      <ul class="erasure-effects">
        {removed.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <h3>What stays</h3>
      <ul class="erasure-effects">
        {kept.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      <Field
        label={
          isAll ? `Type the organization’s id, ${expected}, to confirm` : `Type the user’s id, ${expected}, to confirm`
        }
        error={isWrong ? `This is not ${expected}.` : undefined}
      >
        {(control) => (
          <input
            {...control}
            value={typed}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            onInput={({ currentTarget }) => {
              setWrong(false);
              setTyped(currentTarget.value);
            }}
          />
        )}
      </Field>
    </Confirm>
  );
};
