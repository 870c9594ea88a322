import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type Control = { id: string; "aria-describedby"?: string; "aria-invalid"?: true };

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  /** Why the value is not accepted. */
  error?: string | undefined;
  /** Draws the input with these attributes. */
  children: (control: Control) => ComponentChildren;
};

/** A label with its input, hint and error. */
export const Field = ({ label, hint, error, children }: FieldProps) => {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described !== "" && { "aria-describedby": described }),
        ...(error !== undefined && { "aria-invalid": true as const }),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error">
          {error}
        </p>
      )}
    </div>
  );
};

type ChoiceProps<Value extends string> = {
  label: string;
  value: Value | "";
  options: readonly (readonly [Value | "", string])[];
  onChoose: (value: Value | "") => void;
};

/** A select with its label. */
export const Choice = <Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) => (
  <Field label={label}>
    {(control) => (
      <select {...control} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as Value | "")}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);
