import { type ReadonlySignal, useComputed } from "@preact/signals";
import { alertAddress } from "../../address.ts";
import type { Alert } from "../../api/types.ts";
import { formatNumber } from "../../format.ts";
import { Badge, Level } from "../../parts/badge.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import type { Tone } from "../../parts/tone.ts";
import { ruleName, statusNames, subjectOf } from "./words.ts";

const tones: Readonly<Record<Alert["status"], Tone>> = { open: "bad", acknowledged: "accent", resolved: "good" };

export const Status = ({ status }: Pick<Alert, "status">) => <Badge tone={tones[status]}>{statusNames[status]}</Badge>;

type Props = {
  alert: Alert;
  cursor: ReadonlySignal<string | undefined>;
  selected: ReadonlySignal<ReadonlySet<string>>;
  /** Undefined if the user may not change alerts. */
  onSelect: ((event: MouseEvent, id: string) => void) | undefined;
};

export const AlertRow = ({ alert, cursor, selected, onSelect }: Props) => {
  const { id, title, level, rule, status, count, firstSeen, lastSeen, assignee, comments } = alert;
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
          {comments !== undefined && <> · {comments === 1 ? "1 comment" : `${formatNumber(comments)} comments`}</>}
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
