import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api, once } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/draft.ts";
import { TextField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.ts";
import { ProblemNote } from "../../parts/states.tsx";

/** As the API takes it. */
const MOST_CHARACTERS = 2_000;

type Props = { alertId: string; input: RefObject<HTMLTextAreaElement | null>; onCommented: () => void };

export const CommentForm = ({ alertId, input, onCommented }: Props) => {
  const [draft = "", setDraft] = useDraft<string>(`comment ${alertId}`);
  const [isMissing, setMissing] = useState(false);
  const comment = useAction(async (text: string, key: string) => {
    const path = "/api/integrations/provider/security/alert";
    const body = { action: "comment" as const, alertIds: [alertId], text };
    const result = await answer(api.POST(path, { params: once(key), body }));
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
      <TextField
        label="Comment"
        hint="Everybody who sees alerts can read it. It cannot be changed later."
        error={isMissing ? "Write the comment first." : undefined}
        field={input}
        rows={3}
        maxLength={MOST_CHARACTERS}
        value={draft}
        onType={(text) => {
          setMissing(false);
          setDraft(text === "" ? undefined : text);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
      />
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
