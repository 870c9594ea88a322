/** The choice of events: the period, the filters, and the chosen filters as chips that can be removed. */
import type { ComponentChildren, RefObject } from "preact";
import { useState } from "preact/hooks";
import { eventTypes } from "../../api/event-types.ts";
import { Button } from "../../parts/button.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import { PeriodSwitch } from "../../parts/page.tsx";
import { TimesFilter } from "../../parts/times-filter.tsx";
import { serviceNow } from "../../words/clock.ts";
import { inWords } from "../../words/format.ts";
import { type Chosen, choosePeriod, type FilterName, filterNames, periodOf, periods } from "./query.ts";
import { chips, filters, noFilters } from "./selection.ts";

type Props = { chosen: Chosen; onChoose: (changes: Chosen) => void };

/** As the API accepts identifiers. */
const MOST_CHARACTERS = 128;

const typeOptions = Object.keys(eventTypes)
  .map((type) => [type, inWords(type)] as const)
  .sort(([, one], [, other]) => one.localeCompare(other));

export const Periods = ({ chosen, onChoose, children }: Props & { children: ComponentChildren }) => {
  const period = periodOf(chosen);
  const chooseTimes = (): void => {
    const until = serviceNow();
    const since = until - periods[period ?? "24h"].ms;
    onChoose({
      period: undefined,
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      live: undefined,
    });
  };
  return (
    <>
      <div class="events-bar">
        <PeriodSwitch periods={periods} chosen={period} onChoose={(name) => onChoose(choosePeriod(name))}>
          <Button aria-pressed={period === undefined} onClick={chooseTimes}>
            From – to
          </Button>
        </PeriodSwitch>
        {children}
      </div>
      {period === undefined && <TimesFilter chosen={chosen} onChoose={onChoose} />}
    </>
  );
};

/** Text that is not chosen yet stays while the page is drawn again. */
const TextFilter = ({ label, value, onChoose }: { label: string; value: string; onChoose: (next: string) => void }) => {
  const [typed, setTyped] = useState<string>();
  return (
    <TextField
      label={label}
      type="text"
      spellcheck={false}
      maxLength={MOST_CHARACTERS}
      value={typed ?? value}
      onType={setTyped}
      onChange={({ currentTarget }) => {
        onChoose(currentTarget.value);
        setTyped(undefined);
      }}
    />
  );
};

const FilterField = ({ name, chosen, onChoose }: Props & { name: FilterName }) => {
  const { label } = filters[name];
  const options = name === "eventType" ? typeOptions : filters[name].options;
  const value = chosen[name] ?? "";
  const choose = (next: string) => onChoose({ [name]: next.trim() === "" ? undefined : next.trim() });
  if (options !== undefined) {
    const known = options.find(([option]) => option.toLowerCase() === value.toLowerCase());
    return (
      <Choice<string> label={label} value={known?.[0] ?? ""} options={[["", "All"], ...options]} onChoose={choose} />
    );
  }
  return <TextFilter label={label} value={value} onChoose={choose} />;
};

type FilterFieldsProps = Props & { id: string; fields: RefObject<HTMLDivElement | null> };

export const FilterFields = ({ id, fields, ...props }: FilterFieldsProps) => (
  <div class="filters events-fields" id={id} ref={fields}>
    {filterNames.map((name) => (
      <FilterField key={name} name={name} {...props} />
    ))}
  </div>
);

export const Chips = ({ chosen, onChoose }: Props) => {
  const shown = chips(chosen);
  if (shown.length === 0) return null;
  return (
    <ul class="events-chips" aria-label="Chosen filters">
      {shown.map(({ name, text }) => (
        <li key={name}>
          <button
            type="button"
            class="events-chip"
            aria-label={`Remove the filter ${text}`}
            onClick={() => onChoose({ [name]: undefined })}
          >
            {text} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      <li>
        <Button kind="link" onClick={() => onChoose(noFilters)}>
          Remove all
        </Button>
      </li>
    </ul>
  );
};
