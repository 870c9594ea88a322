import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { RecordType } from "../../api/types.ts";
import { Field, TimeFilter } from "../../parts/field.tsx";
import { instantOf } from "../../words/local-time.ts";
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
      <TimeFilter
        label="Changed since (your time)"
        at={instantOf(updatedSince)}
        onChoose={(time) => onChange({ updatedSince: time })}
      />
      <div class="field">{children}</div>
    </div>
  );
};
