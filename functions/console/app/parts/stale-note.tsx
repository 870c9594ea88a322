import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";

type Props = {
  what: string;
  onKeep: () => void;
  onTake: () => void;
  children?: ComponentChildren;
};

/** Somebody else has changed what a form edits. @param props.what such as "this rule since you began." */
export const StaleNote = ({ what, onKeep, onTake, children }: Props) => (
  <div class="problem" role="alert">
    <p>Somebody else has changed {what}</p>
    {children}
    <div class="actions">
      <Button onClick={onKeep}>Keep my version</Button>
      <Button onClick={onTake}>Take theirs</Button>
    </div>
  </div>
);
