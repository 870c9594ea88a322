/** Dialogs on the browser's own `<dialog>`, which keeps the focus inside and closes with Escape. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./states.tsx";

type DialogProps = { title: string; onClose: () => void; canClose?: boolean; children: ComponentChildren };

/** It is open while it is drawn. */
export const Dialog = ({ title, onClose, canClose = true, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (canClose) onClose();
      }}
      // A second Escape closes it without asking: https://html.spec.whatwg.org/multipage/interaction.html#close-requests
      onClose={() => {
        if (canClose) onClose();
        else dialog.current?.showModal();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};

type ConfirmProps = {
  title: string;
  /** What will happen. */
  children: ComponentChildren;
  /** The action in the user's words: "Disconnect". */
  confirm: string;
  isDangerous?: boolean;
  isRunning?: boolean;
  problem?: Problem | undefined;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before something happens. The form's own fields may be among the children; Enter confirms. */
export const Confirm = ({
  title,
  children,
  confirm,
  isDangerous = false,
  isRunning = false,
  problem,
  onConfirm,
  onClose,
}: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRunning) onConfirm();
      }}
    >
      {children}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind={isDangerous ? "danger" : "main"} isRunning={isRunning}>
          {confirm}
        </Button>
      </div>
    </form>
  </Dialog>
);
