/** The table of events, and the choice of events to mark as processed. */
import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { Button } from "../../parts/button.tsx";
import { notify } from "../../parts/notices.ts";
import { TableHead } from "../../parts/table.tsx";
import { plural } from "../../words/format.ts";
import type { Chunk } from "./chunks.ts";
import { MOST_AT_ONCE, markedAt } from "./marked.ts";
import { HEADS, RowChunk } from "./rows.tsx";

type Selected = Signal<ReadonlySet<string>>;

type BarProps = { selected: Selected; chunks: readonly Chunk[]; isMarking: boolean; onMark: (ids: string[]) => void };

/** Events that can be marked, newest first, as many as one request takes. */
const firstOpen = (chunks: readonly Chunk[]): string[] => {
  const ids: string[] = [];
  for (const chunk of chunks)
    for (const { id, processed } of chunk) {
      if (ids.length === MOST_AT_ONCE) return ids;
      if (!processed && !markedAt.value.has(id)) ids.push(id);
    }
  return ids;
};

const SelectionBar = ({ selected, chunks, isMarking, onMark }: BarProps) => {
  const { size } = selected.value;
  return (
    <div class={size === 0 ? "events-selection" : "events-selection open"} role="status">
      {size > 0 && (
        <>
          <b>{plural(size, "event")} selected</b>
          <Button kind="main" isRunning={isMarking} onClick={() => onMark([...selected.value])}>
            Mark as processed
          </Button>
          {size < MOST_AT_ONCE && (
            <Button
              onClick={() => {
                selected.value = new Set(firstOpen(chunks));
              }}
            >
              Select the first {MOST_AT_ONCE}
            </Button>
          )}
          <Button
            onClick={() => {
              selected.value = new Set();
            }}
          >
            Clear
          </Button>
        </>
      )}
    </div>
  );
};

type Props = {
  table: RefObject<HTMLTableElement | null>;
  chunks: readonly Chunk[];
  selected: Selected;
  mayMark: boolean;
  isMarking: boolean;
  /** The rows are about to be replaced. */
  isBusy: boolean;
  onMark: (ids: string[]) => void;
};

export const EventTable = ({ table, chunks, selected, mayMark, isMarking, isBusy, onMark }: Props) => {
  /** One listener for all rows. */
  const onChange = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    const id = target.closest<HTMLElement>("[data-event]")?.dataset.event;
    if (id === undefined) return;
    const next = new Set(selected.value);
    if (!target.checked) next.delete(id);
    else if (next.size < MOST_AT_ONCE) next.add(id);
    else {
      target.checked = false;
      notify(`At most ${MOST_AT_ONCE} events can be marked at once. Mark these first.`);
    }
    selected.value = next;
  };
  return (
    <>
      <table aria-label="Events" aria-busy={isBusy} class="events-table" ref={table} onChange={onChange}>
        <TableHead of={HEADS} class="events-head" rowClass="events-row" />
        {chunks.map((events) => (
          <RowChunk key={events.at(-1)?.id} events={events} selected={selected} maySelect={mayMark} />
        ))}
      </table>
      {mayMark && <SelectionBar selected={selected} chunks={chunks} isMarking={isMarking} onMark={onMark} />}
    </>
  );
};
