/** The rows of the list: one link each, which has the focus of the keys, and a checkbox. */
import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Alert } from "../../api/types.ts";
import { AlertRow } from "./row.tsx";
import { select } from "./triage.ts";

type Props = {
  table: RefObject<HTMLTableElement | null>;
  alerts: readonly Alert[];
  cursor: Signal<string | undefined>;
  selected: Signal<ReadonlySet<string>>;
  maySelect: boolean;
  /** The rows are about to be replaced. */
  isBusy: boolean;
};

const rowOf = (target: EventTarget | null): string | undefined =>
  (target instanceof Element ? target.closest<HTMLElement>("[data-alert]") : null)?.dataset.alert;

export const AlertTable = ({ table, alerts, cursor, selected, maySelect, isBusy }: Props) => {
  const last = useRef<string>(undefined);
  const onSelect = (event: MouseEvent, id: string): void => {
    const ids = alerts.map((alert) => alert.id);
    const next = select(selected.peek(), ids, { id, last: last.current, isRange: event.shiftKey });
    const wasFull = !next.has(id) && !selected.peek().has(id);
    last.current = id;
    selected.value = next;
    // The browser has changed the box. At the limit of the selection it must stay as it was.
    if (wasFull) event.preventDefault();
  };
  return (
    <table
      class="alerts-table"
      aria-busy={isBusy}
      ref={table}
      onFocusIn={({ target }) => {
        cursor.value = rowOf(target) ?? cursor.value;
      }}
    >
      <thead>
        <tr>
          <th class="alerts-mark" scope="col">
            {maySelect && <span class="hidden-text">Select</span>}
          </th>
          <th class="alerts-level" scope="col">
            Level
          </th>
          <th scope="col">Alert</th>
          <th class="alerts-count" scope="col">
            Count
          </th>
          <th class="alerts-age" scope="col">
            Raised
          </th>
          <th class="alerts-assignee" scope="col">
            Assigned to
          </th>
          <th class="alerts-status" scope="col">
            Status
          </th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <AlertRow
            key={alert.id}
            alert={alert}
            cursor={cursor}
            selected={selected}
            onSelect={maySelect ? onSelect : undefined}
          />
        ))}
      </tbody>
    </table>
  );
};
