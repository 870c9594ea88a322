import { useId } from "preact/hooks";

type Props<Value extends string> = {
  legend: string;
  options: readonly (readonly [value: Value, name: string])[];
  chosen: readonly Value[];
  hint?: string;
  error?: string | undefined;
  onChoose: (chosen: Value[]) => void;
};

/** Any number of a few options. */
export const Checks = <Value extends string>({ legend, options, chosen, hint, error, onChoose }: Props<Value>) => {
  const id = useId();
  const toggle = (value: Value): void =>
    onChoose(options.map(([option]) => option).filter((one) => (one === value) !== chosen.includes(one)));
  return (
    <fieldset class="options" aria-describedby={error === undefined ? undefined : id}>
      <legend>{legend}</legend>
      <div class="checks">
        {options.map(([value, name]) => (
          <label key={value} class="check">
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            {name}
          </label>
        ))}
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {error !== undefined && (
        <p id={id} class="field-error">
          {error}
        </p>
      )}
    </fieldset>
  );
};
