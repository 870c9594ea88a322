/** What to change about a selection that the API does not answer. */
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { type Chosen, choosePeriod, noFilters, type Period, periods } from "./selection.ts";

type Props = { problem: Problem; period: Period | undefined; onChoose: (changes: Chosen) => void };

const ORDER = Object.keys(periods) as Period[];

/** The next shorter period; 24 hours in place of times that the user chose. */
const shorter = (period: Period | undefined): Period | undefined =>
  period === undefined ? "24h" : ORDER[ORDER.indexOf(period) - 1];

export const Advice = ({ problem, period, onChoose }: Props) => {
  const next = shorter(period);
  return (
    <div class="events-advice" role="status">
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
