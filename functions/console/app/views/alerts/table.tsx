/** The rows of the list: one link each, which has the focus of the keys, and a checkbox. */
import { type ReadonlySignal, type Signal, useComputed } from "@preact/signals";
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Alert } from "../../api/types.ts";
import { TableHead } from "../../parts/table.tsx";
import { Badge, Level, RelativeTime } from "../../parts/values.tsx";
import { alertAddress } from "../../words/address.ts";
import { formatNumber, plural, type Tone } from "../../words/format.ts";
import { select } from "./triage.ts";
import { ruleName, statusNames, subjectOf } from "./words.ts";

const tones: Readonly<Record<Alert["status"], Tone>> = { open: "bad", acknowledged: "accent", resolved: "good" };

export const Status = ({ status }: Pick<Alert, "status">) => <Badge tone={tones[status]}>{statusNames[status]}</Badge>;

type RowProps = {
  alert: Alert;
  cursor: ReadonlySignal<string | undefined>;
  selected: ReadonlySignal<ReadonlySet<string>>;
  /** Undefined if the user may not change alerts. */
  onSelect: ((event: MouseEvent, id: string) => void) | undefined;
};

const AlertRow = ({ alert, cursor, selected, onSelect }: RowProps) => {
  const { id, title, level, rule, status, count, firstSeen, lastSeen, assignee, comments, mutedBy, drill } = alert;
  // Only the rows that change are drawn again.
  const isCurrent = useComputed(() => cursor.value === id);
  const isSelected = useComputed(() => selected.value.has(id));
  const subject = subjectOf(alert);
  return (
    <tr class={isCurrent.value ? "alerts-row current" : "alerts-row"} data-alert={id}>
      <td class="alerts-mark">
        {onSelect !== undefined && (
          <input
            type="checkbox"
            checked={isSelected.value}
            aria-label={`Select ${title}`}
            onClick={(event) => onSelect(event, id)}
          />
        )}
      </td>
      <td class="alerts-level">
        <Level level={level} />
      </td>
      <td class="alerts-what">
        <a href={alertAddress(id)}>{title}</a>
        <span class="quiet">
          {ruleName(rule)}
          {subject !== undefined && <> · {subject.text}</>}
          {comments !== undefined && <> · {plural(comments, "comment")}</>}
          {mutedBy !== undefined && " · muted"}
          {drill === true && " · drill"}
        </span>
      </td>
      <td class="alerts-count" title={`Raised ${count === 1 ? "once" : `${formatNumber(count)} times`}`}>
        <span aria-hidden="true">×</span>
        {formatNumber(count)}
        <span class="hidden-text"> times</span>
      </td>
      <td class="alerts-age">
        <RelativeTime at={firstSeen} />
        {lastSeen - firstSeen >= 60_000 && (
          <span class="quiet">
            last <RelativeTime at={lastSeen} />
          </span>
        )}
      </td>
      <td class="alerts-assignee">{assignee ?? <span class="quiet">–</span>}</td>
      <td class="alerts-status">
        <Status status={status} />
      </td>
    </tr>
  );
};

type Props = {
  table: RefObject<HTMLTableElement | null>;
  alerts: readonly Alert[];
  cursor: Signal<string | undefined>;
  selected: Signal<ReadonlySet<string>>;
  maySelect: boolean;
  /** The rows are about to be replaced. */
  isBusy: boolean;
};

const HEADS = [
  { head: "Level", class: "alerts-level" },
  { head: "Alert" },
  { head: "Count", class: "alerts-count" },
  { head: "Raised", class: "alerts-age" },
  { head: "Assigned to", class: "alerts-assignee" },
  { head: "Status", class: "alerts-status" },
];

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
      <TableHead of={[{ head: maySelect ? "Select" : "", isHidden: maySelect, class: "alerts-mark" }, ...HEADS]} />
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
