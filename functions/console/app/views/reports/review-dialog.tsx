import { useState } from "preact/hooks";
import { answer, api, once } from "../../api/client.ts";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";

type Props = { id: string; name: string; onClose: () => void; onDone: () => void };

/** Says what a review means, and takes a note. */
export const ReviewDialog = ({ id, name, onClose, onDone }: Props) => {
  const [note, setNote] = useState("");
  const review = useConfirmed(
    (text: string, key) =>
      answer(
        api.POST("/api/integrations/provider/reports/{id}/review", {
          params: { path: { id }, ...once(key) },
          body: text === "" ? {} : { note: text },
        }),
      ),
    onDone,
  );
  return (
    <Confirm
      title="Mark as reviewed"
      confirm="Mark as reviewed"
      action={review}
      onConfirm={() => review.confirm(note.trim())}
      onClose={onClose}
    >
      <p>Your name, the time and the note are kept with: {name}.</p>
      <TextField label="Note (optional)" value={note} rows={3} maxLength={2_000} onType={setNote} />
    </Confirm>
  );
};
