import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { RecordType } from "../../api/types.ts";
import { fromLocalInput, instantOf, toLocalInput } from "../../local-time.ts";
import { Field } from "../../parts/field.tsx";
import { knownStatuses } from "./record-words.ts";

type Values = Readonly<Record<string, string | undefined>>;

type Props = {
  type: RecordType;
  filters: Values;
  onChange: (changes: Values) => void;
  children: ComponentChildren;
};

const MOST_CHARACTERS = 256;

export const Filters = ({ type, filters, onChange, children }: Props) => {
  const suggestions = useId();
  const { customerId = "", status = "", updatedSince } = filters;
  const since = instantOf(updatedSince);
  const text = (name: string, value: string, list?: string) => (control: object) => (
    <input
      {...control}
      {...(list !== undefined && { list })}
      type="text"
      autocomplete="off"
      spellcheck={false}
      maxLength={MOST_CHARACTERS}
      value={value}
      onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value.trim() || undefined })}
    />
  );
  return (
    <div class="filters">
      {type !== "customers" && (
        <>
          <Field label="Status">{text("status", status, suggestions)}</Field>
          <datalist id={suggestions}>
            {knownStatuses[type].map((word) => (
              <option key={word} value={word} />
            ))}
          </datalist>
        </>
      )}
      <Field label="Customer id">{text("customerId", customerId)}</Field>
      <Field label="Changed since (your time)">
        {(control) => (
          <input
            {...control}
            key={since}
            type="datetime-local"
            defaultValue={since === undefined ? "" : toLocalInput(since)}
            // Not on each change: a year is typed digit by digit.
            onBlur={({ currentTarget: { value, defaultValue } }) =>
              value !== defaultValue && onChange({ updatedSince: fromLocalInput(value) })
            }
            onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
          />
        )}
      </Field>
      <div class="field">{children}</div>
    </div>
  );
};
