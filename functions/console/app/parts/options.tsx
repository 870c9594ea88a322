import { useId } from "preact/hooks";

type Option<Value extends string> = {
  value: Value;
  name: string;
  /** What it means. */
  text: string;
  isDisabled?: boolean;
};

type Props<Value extends string> = {
  legend: string;
  options: readonly Option<Value>[];
  value: Value;
  onChoose: (value: Value) => void;
};

/** One of a few options, each with a sentence. */
export const Options = <Value extends string>({ legend, options, value, onChoose }: Props<Value>) => {
  const name = useId();
  return (
    <fieldset class="options">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value} class="option">
          <input
            type="radio"
            name={name}
            checked={value === option.value}
            disabled={option.isDisabled}
            onChange={() => onChoose(option.value)}
          />
          <span>
            <b>{option.name}</b>
            <span class="hint">{option.text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
};
