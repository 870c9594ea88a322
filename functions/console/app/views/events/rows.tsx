/** The rows of the list. Ten thousand of them stay smooth: see styles/events.css and chunks.ts. */
import { computed, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SecurityEvent } from "../../api/types.ts";
import { Badge, DrillBadge, Level, ShortTime } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { formatShortTime, inWords } from "../../words/format.ts";
import type { Chunk } from "./chunks.ts";
import { markedAt } from "./marked.ts";
import { sourceLabels } from "./selection.ts";

/** Work that is spread over frames, so that no frame is late. */
const waiting = new Set<() => void>();

const runNext = (): void => {
  const [next] = waiting;
  if (next === undefined) return;
  waiting.delete(next);
  next();
  if (waiting.size > 0) requestAnimationFrame(runNext);
};

/** Runs one piece of work in a frame of its own, after those before it. @returns how to cancel it. */
const inTurn = (work: () => void): (() => void) => {
  waiting.add(work);
  if (waiting.size === 1) requestAnimationFrame(runNext);
  return () => waiting.delete(work);
};

export type Selected = ReadonlySignal<ReadonlySet<string>>;

/** What happened beside the type: why it failed, or what was done. */
const detailOf = ({ success, errorMessage, action }: SecurityEvent): string | undefined =>
  (success ? undefined : errorMessage) ?? (action === undefined ? undefined : inWords(action));

type RowProps = { event: SecurityEvent; isSelected: boolean; isProcessed: boolean; maySelect: boolean };

const Row = ({ event, isSelected, isProcessed, maySelect }: RowProps) => {
  const { id, timestamp, riskLevel, eventType, userId, source, ipAddress, success, errorCode } = event;
  const detail = detailOf(event);
  return (
    <tr class="events-row" data-event={id}>
      <td class="events-mark">
        {isProcessed ? (
          <span title="Processed">
            <span aria-hidden="true">✓</span>
            <span class="hidden-text">Processed</span>
          </span>
        ) : (
          maySelect && (
            <input
              type="checkbox"
              checked={isSelected}
              aria-label={`Select ${inWords(eventType)}, ${formatShortTime(timestamp)}`}
            />
          )
        )}
      </td>
      <td>
        <ShortTime at={timestamp} />
      </td>
      <td>
        <Level level={riskLevel} />
      </td>
      <td class="events-what">
        <a href={eventAddress(id)}>{inWords(eventType)}</a>
        <DrillBadge of={event} />
        {detail !== undefined && <span class="quiet"> {detail}</span>}
      </td>
      <td>{userId ?? <span class="quiet">{sourceLabels[source]}</span>}</td>
      <td>{ipAddress}</td>
      <td>
        {success ? <span class="quiet">Succeeded</span> : <Badge tone="bad">Failed</Badge>}
        {errorCode !== undefined && <span class="quiet"> {errorCode}</span>}
      </td>
    </tr>
  );
};

type ChunkProps = { events: Chunk; selected: Selected; maySelect: boolean };

/** The ids of a chunk that are in a set, as one text: the chunk is drawn again only if the text changes. */
const useOwn = (events: Chunk, ids: ReadonlySignal<{ has(id: string): boolean }>): ReadonlySet<string> => {
  const own = useMemo(
    () =>
      computed(() =>
        events
          .filter(({ id }) => ids.value.has(id))
          .map(({ id }) => id)
          .join(" "),
      ),
    [events, ids],
  ).value;
  return useMemo(() => new Set(own.split(" ")), [own]);
};

const Rows = ({ events, selected, maySelect }: ChunkProps) => {
  const chosen = useOwn(events, selected);
  const marked = useOwn(events, markedAt);
  return (
    <>
      {events.map((event) => (
        <Row
          key={event.id}
          event={event}
          isSelected={chosen.has(event.id)}
          isProcessed={event.processed || marked.has(event.id)}
          maySelect={maySelect}
        />
      ))}
    </>
  );
};

/** The rows come in one of the next frames; until then the chunk has their height. */
export const RowChunk = ({ events, selected, maySelect }: ChunkProps) => {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => inTurn(() => setDrawn(true)), []);
  const rows = useMemo(
    () => isDrawn && <Rows events={events} selected={selected} maySelect={maySelect} />,
    [isDrawn, events, selected, maySelect],
  );
  return (
    <tbody class={isDrawn ? "events-chunk" : "events-chunk pending"} style={{ "--events-rows": events.length }}>
      {rows}
    </tbody>
  );
};

/** Of the columns, in their order. */
export const HEADS = [
  { head: "Processed", isHidden: true, class: "events-mark" },
  ...["Time", "Level", "Event", "User", "Address", "Outcome"].map((head) => ({ head })),
];
