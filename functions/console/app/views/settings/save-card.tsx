import type { Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { Bullets, Card } from "../../parts/page.tsx";
import { StaleNote } from "../../parts/stale-note.tsx";
import { ProblemNote } from "../../parts/states.tsx";

/** The service refuses a list without its author's address: error 40906 of the catalogue. */
const AUTHOR_LOCKED_OUT = 40906;

type Props = {
  changes: readonly string[];
  isDirty: boolean;
  /** What others changed since the user began; empty if nothing. */
  changedByOthers: readonly string[];
  isRunning: boolean;
  problem: Problem | undefined;
  ipAddress: string;
  onDiscard: () => void;
  /** Keeps the user's changes although others changed the settings. */
  onKeep: () => void;
};

export const SaveCard = ({ changes, isDirty, changedByOthers, ...rest }: Props) => {
  const { isRunning, problem, ipAddress, onDiscard, onKeep } = rest;
  const isStale = changedByOthers.length > 0;
  return (
    <Card title="Changes">
      {isStale && (
        <StaleNote what="the settings since you began:" onKeep={onKeep} onTake={onDiscard}>
          <Bullets of={changedByOthers} />
          <p>Below is what your version changes now, which may take their change back.</p>
        </StaleNote>
      )}
      {changes.length > 0 ? (
        <Bullets of={changes} />
      ) : (
        <p class="quiet">{isDirty ? "Only the order or the spelling of the list changes." : "Nothing has changed."}</p>
      )}
      {problem !== undefined && (
        <ProblemNote problem={problem}>
          {problem.code === AUTHOR_LOCKED_OUT ? (
            <p>Nothing was saved. Add a network that contains your own address, and save again.</p>
          ) : (
            problem.isTemporary && <p>Your changes are still here. Try to save them again.</p>
          )}
          {problem.code === AUTHOR_LOCKED_OUT && !problem.message.includes(ipAddress) && (
            <p>Your address has changed since this page was opened. Reload the page.</p>
          )}
        </ProblemNote>
      )}
      <div class="actions">
        <Button type="submit" kind="main" isRunning={isRunning} disabled={!isDirty || isStale}>
          {isRunning ? "Saving …" : "Save"}
        </Button>
        <Button onClick={onDiscard} disabled={!isDirty || isRunning}>
          Discard changes
        </Button>
      </div>
    </Card>
  );
};
