import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/draft.ts";
import { Field } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.tsx";
import { ProblemNote } from "../../parts/states.tsx";

/** As the API takes it. */
const MOST_CHARACTERS = 2_000;

type Props = { alertId: string; input: RefObject<HTMLTextAreaElement | null>; onCommented: () => void };

export const CommentForm = ({ alertId, input, onCommented }: Props) => {
  const [draft = "", setDraft] = useDraft<string>(`comment ${alertId}`);
  const [isMissing, setMissing] = useState(false);
  const comment = useAction(async (text: string, key: string) => {
    const path = "/api/integrations/provider/security/alert";
    const result = await answer(
      api.POST(path, {
        params: { header: { "Idempotency-Key": key } },
        body: { action: "comment", alertIds: [alertId], text },
      }),
    );
    if (result.action !== "comment" || result.commented.length > 0) return result;
    throw new Problem(
      result.unchanged.length > 0 ? "This alert has 100 comments, and takes no more." : "This alert has expired.",
      { status: 409 },
    );
  });
  const send = async (): Promise<void> => {
    if ((await comment.run(draft.trim())) === undefined) return;
    setDraft(undefined);
    notify("The comment is stored.");
    onCommented();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setMissing(draft.trim() === "");
        if (draft.trim() !== "") void send();
      }}
    >
      <Field
        label="Comment"
        hint="Everybody who sees alerts can read it. It cannot be changed later."
        error={isMissing ? "Write the comment first." : undefined}
      >
        {(control) => (
          <textarea
            {...control}
            ref={input}
            rows={3}
            maxLength={MOST_CHARACTERS}
            value={draft}
            onInput={({ currentTarget }) => {
              setMissing(false);
              setDraft(currentTarget.value === "" ? undefined : currentTarget.value);
            }}
            onKeyDown={(event) => {
              if (event.key === "Escape") event.currentTarget.blur();
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        )}
      </Field>
      {comment.problem !== undefined && (
        <ProblemNote problem={comment.problem}>
          {comment.problem.isTemporary && <p>Your comment is still here. Send it again: it is stored once.</p>}
        </ProblemNote>
      )}
      <Button type="submit" isRunning={comment.isRunning}>
        {comment.isRunning ? "Storing …" : "Comment"}
      </Button>
    </form>
  );
};
