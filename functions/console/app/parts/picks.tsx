import { Choice } from "./field.tsx";

type Props = {
  label: string;
  /** All values with their names. */
  options: readonly (readonly [value: string, name: string])[];
  chosen: readonly string[];
  /** What holds if nothing is chosen: "All types". */
  all: string;
  onChoose: (chosen: readonly string[]) => void;
};

/** Any number of many options: each is added by a select, and taken away by its chip. */
export const Picks = ({ label, options, chosen, all, onChoose }: Props) => {
  const nameOf = (value: string): string => options.find(([option]) => option === value)?.[1] ?? value;
  const rest = options.filter(([value]) => !chosen.includes(value));
  return (
    <div class="field">
      <Choice<string>
        label={label}
        value=""
        options={[["", chosen.length === 0 ? all : "Add another …"], ...rest]}
        onChoose={(value) => value !== "" && onChoose([...chosen, value])}
      />
      {chosen.length > 0 && (
        <ul class="events-chips" aria-label={`${label}: chosen`}>
          {chosen.map((value) => (
            <li key={value}>
              <button
                type="button"
                class="events-chip"
                aria-label={`Take away ${nameOf(value)}`}
                onClick={() => onChoose(chosen.filter((one) => one !== value))}
              >
                {nameOf(value)} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
