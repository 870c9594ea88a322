import type { ComponentChildren } from "preact";
import type { RecordType } from "../../api/types.ts";
import { Choice, Field, TimeFilter } from "../../parts/field.tsx";
import { instantOf } from "../../words/local-time.ts";
import { CustomerField } from "./customer-field.tsx";
import { filtersOf, statusOptions } from "./record-words.ts";

type Values = Readonly<Record<string, string | undefined>>;

type Props = {
  type: RecordType;
  filters: Values;
  onChange: (changes: Values) => void;
  children: ComponentChildren;
};

const MOST_CHARACTERS = 256;
const MINOR = "1900 for €19.00";

export const Filters = ({ type, filters, onChange, children }: Props) => {
  const { customerId = "", status = "", updatedSince, overdue = "" } = filters;
  const has = (name: string) => filtersOf[type].includes(name);
  const text =
    (name: string, placeholder = "") =>
    (control: object) => (
      <input
        {...control}
        type="text"
        autocomplete="off"
        placeholder={placeholder}
        spellcheck={false}
        maxLength={MOST_CHARACTERS}
        value={filters[name] ?? ""}
        onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value.trim() || undefined })}
      />
    );
  return (
    <div class="filters">
      {has("status") && (
        <Choice<string>
          label="Status"
          value={status}
          options={statusOptions(type, status)}
          onChoose={(chosen) => onChange({ status: chosen || undefined })}
        />
      )}
      {has("customerId") && <CustomerField id={customerId} onChoose={(id) => onChange({ customerId: id })} />}
      {has("paymentId") && <Field label="Payment id">{text("paymentId")}</Field>}
      {has("minAmount") && <Field label="Amount from">{text("minAmount", MINOR)}</Field>}
      {has("maxAmount") && <Field label="Amount to">{text("maxAmount", MINOR)}</Field>}
      {has("overdue") && (
        <Choice
          label="Due"
          value={overdue}
          options={[
            ["", "Any"],
            ["true", "Unpaid and overdue"],
          ]}
          onChoose={(value) => onChange({ overdue: value || undefined })}
        />
      )}
      <TimeFilter
        label="Changed since (your time)"
        at={instantOf(updatedSince)}
        onChoose={(time) => onChange({ updatedSince: time })}
      />
      <div class="field">{children}</div>
    </div>
  );
};
