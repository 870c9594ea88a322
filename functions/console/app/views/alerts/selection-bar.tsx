/** How many alerts are shown or selected, and what can be done with the selected ones. */
import type { Signal } from "@preact/signals";
import type { Alert } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { plural } from "../../words/format.ts";
import { MOST_SELECTED } from "./triage.ts";

type Props = {
  alerts: readonly Alert[];
  selected: Signal<ReadonlySet<string>>;
  maySelect: boolean;
  onAcknowledge: () => void;
  onResolve: () => void;
  onAssignToMe: () => void;
  onAssign: () => void;
};

export const SelectionBar = ({ alerts, selected, maySelect, ...on }: Props) => {
  const chosen = alerts.filter(({ id }) => selected.value.has(id)).length;
  const most = Math.min(alerts.length, MOST_SELECTED);
  return (
    <div class="alerts-bar">
      {maySelect && (
        <input
          type="checkbox"
          aria-label={`Select all shown${alerts.length > MOST_SELECTED ? `, at most ${MOST_SELECTED}` : ""}`}
          checked={chosen > 0 && chosen === most}
          indeterminate={chosen > 0 && chosen < most}
          disabled={alerts.length === 0}
          onChange={() => {
            selected.value = new Set(chosen === most ? [] : alerts.slice(0, MOST_SELECTED).map(({ id }) => id));
          }}
        />
      )}
      <span role="status">
        {chosen === 0 ? (
          `${plural(alerts.length, "alert")} shown`
        ) : (
          <b>
            {plural(chosen, "alert")} selected
            {chosen === MOST_SELECTED && alerts.length > MOST_SELECTED && ", the most at once"}
          </b>
        )}
      </span>
      {chosen > 0 && (
        <div class="actions">
          <Button kind="main" onClick={on.onAcknowledge}>
            Acknowledge
          </Button>
          <Button onClick={on.onResolve}>Resolve</Button>
          <Button onClick={on.onAssignToMe}>Assign to me</Button>
          <Button onClick={on.onAssign}>Assign …</Button>
          <Button
            kind="link"
            onClick={() => {
              selected.value = new Set();
            }}
          >
            Clear
          </Button>
        </div>
      )}
    </div>
  );
};
