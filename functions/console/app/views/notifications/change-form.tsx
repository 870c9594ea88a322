import { useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import type { Destination } from "../../api/types.ts";
import { useDraft } from "../../parts/draft.ts";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { notify } from "../../parts/notices.ts";
import { StaleNote } from "../../parts/stale-note.tsx";
import { timeZone } from "../../words/local-time.ts";
import { DestinationForm } from "./destination-form.tsx";
import { changeRequestOf, type Draft, draftOf } from "./draft.ts";
import { putDestination, readDestination } from "./use-destinations.ts";

/** `base`: when the destination that the user saw was changed. */
type Stored = { base: number; draft: Draft };

type Props = { destination: Destination; onChanged: (destination: Destination) => void; onClose: () => void };

export const ChangeForm = ({ destination, onChanged, onClose }: Props) => {
  const { id, type, changedAt, target: present } = destination;
  const [stored, setStored] = useDraft<Stored>(`change of destination ${id}`);
  const [wasChanged, setWasChanged] = useState(false);
  const { base, draft } = stored ?? { base: changedAt, draft: draftOf(destination, timeZone) };

  const change = useAction(async ({ target }: { target: string; base: number; draft: Draft }) => {
    const latest = await readDestination(id);
    if (latest.changedAt !== base) return { latest, isSaved: false };
    return { latest: await putDestination(id, changeRequestOf(type, draft, target)), isSaved: true };
  });

  const submit = async (target: string): Promise<void> => {
    const result = await change.run({ target, base, draft });
    if (result === undefined) return;
    onChanged(result.latest);
    if (!result.isSaved) return setWasChanged(true);
    setStored(undefined);
    const isConfirming = result.latest.status === "unconfirmed" && result.latest.target !== present;
    notify(isConfirming ? `A message with a link was sent to ${result.latest.target}.` : "The changes are saved.");
    onClose();
  };

  return (
    <DestinationForm
      type={type}
      draft={draft}
      present={present}
      ownId={id}
      onEdit={(changes) => {
        change.clear();
        setStored({ base, draft: { ...draft, ...changes } });
      }}
      isRunning={change.isRunning}
      problem={change.problem}
      submit="Save"
      onSubmit={(target) => void submit(target)}
      onCancel={() => {
        setStored(undefined);
        onClose();
      }}
    >
      {wasChanged && (
        <StaleNote
          what="this destination since you began. Nothing was saved."
          onKeep={() => {
            setStored({ base: changedAt, draft });
            setWasChanged(false);
          }}
          onTake={() => {
            setStored(undefined);
            setWasChanged(false);
          }}
        />
      )}
      <LeaveGuard
        isDirty={stored !== undefined}
        what="Your changes of the destination"
        onLeave={() => setStored(undefined)}
      />
    </DestinationForm>
  );
};
