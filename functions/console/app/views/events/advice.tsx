/** What to change about a selection that the API does not answer, or that finds nothing. */
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/states.tsx";
import { type Chosen, choosePeriod, type Period, periodOf, periods } from "./query.ts";
import { chips, noFilters } from "./selection.ts";

type Props = { problem: Problem; period: Period | undefined; onChoose: (changes: Chosen) => void };

const ORDER = Object.keys(periods) as Period[];

/** The next shorter period; 24 hours in place of times that the user chose. */
const shorter = (period: Period | undefined): Period | undefined =>
  period === undefined ? "24h" : ORDER[ORDER.indexOf(period) - 1];

export const Advice = ({ problem, period, onChoose }: Props) => {
  const next = shorter(period);
  return (
    <div class="problem warn events-advice" role="status">
      <p>
        <b>Please choose other filters.</b> {problem.message}
      </p>
      <div class="actions">
        {next !== undefined && <Button onClick={() => onChoose(choosePeriod(next))}>Show {periods[next].label}</Button>}
        <Button onClick={() => onChoose(noFilters)}>Remove all filters</Button>
      </div>
      {problem.requestId !== undefined && (
        <p class="quiet">
          Request id: <code>{problem.requestId}</code>
        </p>
      )}
    </div>
  );
};

/** In place of an empty list. */
export const NothingFound = ({ chosen, onChoose }: Pick<Props, "onChoose"> & { chosen: Chosen }) => {
  const period = periodOf(chosen);
  const when = period === undefined ? "in the chosen time" : `in the last ${periods[period].label}`;
  return chips(chosen).length > 0 ? (
    <Empty title={`No event ${when} matches the filters`}>
      <Button onClick={() => onChoose(noFilters)}>Remove all filters</Button>
    </Empty>
  ) : (
    <Empty title={`No events ${when}`}>
      <p>
        Each sync, webhook, call of the API and refusal leaves an event. It is here a second after it happened. Events
        are kept for 90 days, unless the service is set up otherwise.
      </p>
      {period !== "90d" && <Button onClick={() => onChoose(choosePeriod("90d"))}>Show 90 days</Button>}
    </Empty>
  );
};
