/** Dialogs on the browser's own `<dialog>`, which keeps the focus inside and closes with Escape. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Action, useAction } from "../api/action.ts";
import type { Problem } from "../api/problem.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { ProblemNote } from "./states.tsx";

type DialogProps = { title: string; onClose: () => void; canClose?: boolean; children: ComponentChildren };

/** It is open while it is drawn. */
export const Dialog = ({ title, onClose, canClose = true, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      // The browser may have closed it some time ago, and the user has gone on elsewhere.
      const hasFocus = document.activeElement === document.body || shown?.contains(document.activeElement);
      if (hasFocus && before instanceof HTMLElement) before.focus();
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
  action?: Pick<Action<unknown, unknown>, "isRunning" | "problem">;
  /** Shows why the action failed, in place of the plain note. */
  explain?: (problem: Problem) => ComponentChildren;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before something happens. The form's own fields may be among the children; Enter confirms. */
export const Confirm = ({
  title,
  children,
  confirm,
  isDangerous = false,
  action: { isRunning, problem } = { isRunning: false, problem: undefined },
  explain = (reason) => <ProblemNote problem={reason} />,
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
      {problem !== undefined && explain(problem)}
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind={isDangerous ? "danger" : "main"} isRunning={isRunning}>
          {confirm}
        </Button>
      </div>
    </form>
  </Dialog>
);

/** The action of a dialog. @param onDone goes on after it has succeeded */
export const useConfirmed = <Input, Output>(
  call: (input: Input, key: string) => Promise<Output>,
  onDone: (output: Output) => void,
) => {
  // Some successful answers have no body.
  const action = useAction(async (input: Input, key) => ({ output: await call(input, key) }));
  const confirm = async (input: Input): Promise<void> => {
    const done = await action.run(input);
    if (done !== undefined) onDone(done.output);
  };
  return { ...action, confirm: (input: Input) => void confirm(input) };
};

type AskingProps = Omit<ButtonProps, "children"> & {
  name: string;
  /** Draws the dialog. */
  children: (close: () => void) => ComponentChildren;
};

/** A button that opens a dialog. */
export const AskingButton = ({ name, children, ...button }: AskingProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {name}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
};
