import { instantOf } from "../words/local-time.ts";
import { TimeFilter } from "./field.tsx";

/** As an address has them. */
type Times = { since?: string | undefined; until?: string | undefined };

type Props = { chosen: Times; onChoose: (changes: Times) => void };

/** The beginning and the end of a period that is none of the presets. */
export const TimesFilter = ({ chosen, onChoose }: Props) => {
  const since = instantOf(chosen.since);
  const until = instantOf(chosen.until);
  const isBackwards = since !== undefined && until !== undefined && until <= since;
  return (
    <div class="filters">
      <TimeFilter label="From (your time)" at={since} onChoose={(time) => onChoose({ since: time })} />
      <TimeFilter
        label="To, not included"
        error={isBackwards ? "The end must be after the beginning." : undefined}
        at={until}
        onChoose={(time) => onChoose({ until: time })}
      />
    </div>
  );
};
