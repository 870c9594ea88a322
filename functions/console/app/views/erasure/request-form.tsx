import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/draft.ts";
import { TextField } from "../../parts/field.tsx";
import { Options } from "../../parts/options.tsx";
import { Card } from "../../parts/page.tsx";
import { ConfirmErasure, type Wanted } from "./confirm-erasure.tsx";

const NOTHING: Wanted = { scope: "user", userId: "", reason: "" };

const SCOPES = [
  { value: "user", name: "One user", text: "The data of one user of this integration, such as a colleague who left." },
  {
    value: "all",
    name: "Everything",
    text: "All data of the organization in this integration. It also disconnects the account.",
  },
] as const;

export const RequestForm = ({ onRequested }: { onRequested: () => void }) => {
  const [draft, setDraft] = useDraft<Wanted>("erasure");
  const [isMissing, setMissing] = useState(false);
  const [asks, setAsks] = useState(false);
  const wanted = draft ?? NOTHING;
  const edit = (change: Partial<Wanted>): void => {
    setMissing(false);
    setDraft({ ...wanted, ...change });
  };
  return (
    <Card title="Request an erasure">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const isComplete = wanted.scope === "all" || wanted.userId.trim() !== "";
          setMissing(!isComplete);
          setAsks(isComplete);
        }}
      >
        <Options legend="What to erase" options={SCOPES} value={wanted.scope} onChoose={(scope) => edit({ scope })} />
        {wanted.scope === "user" && (
          <TextField
            label="User id"
            hint="As security events show it. It is deleted, too, when the erasure completes."
            error={isMissing ? "Enter the id of the user whose data is to be erased." : undefined}
            class="erasure-field"
            isId
            maxLength={128}
            value={wanted.userId}
            onType={(userId) => edit({ userId })}
          />
        )}
        <TextField
          label="Reason (optional)"
          hint="Shown until the erasure completes, and then deleted."
          class="erasure-field"
          maxLength={512}
          value={wanted.reason}
          onType={(reason) => edit({ reason })}
        />
        <Button type="submit" kind="danger">
          Request erasure …
        </Button>
      </form>
      {asks && (
        <ConfirmErasure
          wanted={wanted}
          onClose={() => setAsks(false)}
          onRequested={() => {
            setAsks(false);
            setDraft(undefined);
            onRequested();
          }}
        />
      )}
    </Card>
  );
};
