import { useRef, useState } from "preact/hooks";
import { focusFirstError } from "./focus-first-error.ts";

type Sending = { isBusy: boolean; send: () => unknown };

/** A form that shows what is wrong from its first try on. */
export const useTries = () => {
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setTried] = useState(false);
  return {
    form,
    isTried,
    forgetTry: (): void => setTried(false),

    /** Notes a try. If something is wrong, the first field with an error gets the focus. @returns whether nothing is */
    tryWith(problems: object): boolean {
      setTried(true);
      const isRight = Object.keys(problems).length === 0;
      // The errors are drawn by then.
      if (!isRight) requestAnimationFrame(() => focusFirstError(form.current));
      return isRight;
    },

    /** The form's attributes. @param sending `isBusy`: it cannot be sent now */
    attributesOf: ({ isBusy, send }: Sending) => ({
      ref: form,
      class: "form",
      noValidate: true,
      onSubmit(event: Event): void {
        event.preventDefault();
        if (!isBusy) void send();
      },
    }),
  };
};
