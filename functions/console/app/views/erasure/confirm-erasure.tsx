import { useState } from "preact/hooks";
import { useCaller } from "../../access.ts";
import { answer, api, once } from "../../api/client.ts";
import type { Erasure, ErasureRequest } from "../../api/types.ts";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.ts";
import { Bullets } from "../../parts/page.tsx";
import { Time } from "../../parts/values.tsx";
import { serviceNow } from "../../words/clock.ts";
import { effects } from "./proof.ts";

/** An erasure is completed within this many days: docs/erasure.md. */
const DUE_AFTER_MS = 30 * 24 * 3_600_000;

/** What the user has entered in the form. */
export type Wanted = { scope: Erasure["scope"]; userId: string; reason: string };

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
  const request = useConfirmed(
    (body: ErasureRequest, key) => answer(api.POST("/api/integrations/provider/erasure", { params: once(key), body })),
    () => {
      notify("The erasure is requested, and begins at once.");
      onRequested();
    },
  );
  return (
    <Confirm
      title={isAll ? "Erase everything of this organization?" : "Erase this user’s data?"}
      confirm={isAll ? "Erase everything" : "Erase the user’s data"}
      isDangerous
      action={request}
      onConfirm={() => (typed.trim() === expected ? request.confirm(requestOf(wanted)) : setWrong(true))}
      onClose={onClose}
    >
      <p>
        <b>An erasure cannot be undone or stopped.</b> It normally takes minutes, and is completed at the latest by{" "}
        <Time at={serviceNow() + DUE_AFTER_MS} />.
      </p>
      <h3>What is removed</h3>
      <Bullets of={removed} />
      <h3>What stays</h3>
      <Bullets of={kept} />
      <TextField
        label={`Type the ${isAll ? "organization’s" : "user’s"} id, ${expected}, to confirm`}
        error={isWrong ? `This is not ${expected}.` : undefined}
        isId
        value={typed}
        onType={(text) => {
          setWrong(false);
          setTyped(text);
        }}
      />
    </Confirm>
  );
};
