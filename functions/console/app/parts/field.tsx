import { type AllHTMLAttributes, type ComponentChildren, h, type RefObject } from "preact";
import { useId } from "preact/hooks";
import { fromLocalInput, toLocalInput } from "../words/local-time.ts";

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

type TextFieldProps = Omit<FieldProps, "children"> &
  Omit<AllHTMLAttributes<HTMLTextAreaElement>, "label" | "value" | "rows" | "onInput"> & {
    value: string;
    onType: (text: string) => void;
    /** One line of text by default. */
    rows?: number;
    /** An identifier or a list of them: the browser must not correct it. */
    isId?: boolean;
    field?: RefObject<HTMLTextAreaElement | null>;
  };

/** A field for text, of one line or of several. Other attributes are those of the input. */
export const TextField = ({ label, hint, error, onType, isId = false, field, ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) =>
      h<AllHTMLAttributes<HTMLTextAreaElement>>(rest.rows === undefined ? "input" : "textarea", {
        ...control,
        ...((isId || rest.rows === undefined) && { autocomplete: "off" }),
        ...(isId && { autocapitalize: "none", spellcheck: false }),
        ...rest,
        ...(field !== undefined && { ref: field }),
        onInput: ({ currentTarget }) => onType(currentTarget.value),
      })
    }
  </Field>
);

type TimeFilterProps = Pick<FieldProps, "label" | "error"> & {
  /** Epoch milliseconds. */
  at: number | undefined;
  /** @param time as the address has it; undefined if the input is empty. */
  onChoose: (time: string | undefined) => void;
};

/** A time of a filter, in the user's zone. It is chosen when the user leaves the input: a year is typed digit by digit. */
export const TimeFilter = ({ label, error, at, onChoose }: TimeFilterProps) => (
  <Field label={label} error={error}>
    {(control) => (
      <input
        {...control}
        key={at}
        type="datetime-local"
        defaultValue={at === undefined ? "" : toLocalInput(at)}
        onBlur={({ currentTarget: { value, defaultValue } }) =>
          value !== defaultValue && onChoose(fromLocalInput(value))
        }
        onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
      />
    )}
  </Field>
);

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
