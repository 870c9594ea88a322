import type { ComponentChildren } from "preact";
import { Field } from "../../parts/field.tsx";

type Props = {
  name: string;
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  maxLength?: number;
};

/** `data-*`: password managers are asked not to offer to store it. */
const NOT_TO_STORE = { "data-1p-ignore": "", "data-lpignore": "true", "data-bwignore": "", "data-form-type": "other" };

/** An input for a secret. Nothing outside the input has its value, and neither browser nor console stores it. */
export const SecretField = ({ name, label, hint, error, maxLength = 512 }: Props) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <input
        {...control}
        {...NOT_TO_STORE}
        type="password"
        name={name}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={maxLength}
      />
    )}
  </Field>
);
