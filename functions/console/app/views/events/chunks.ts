/**
 * The events of a list in chunks of rows. A chunk that does not change keeps its identity, so its rows are not drawn again.
 */
import type { SecurityEvent } from "../../api/types.ts";

export type Chunk = readonly SecurityEvent[];

const MOST_ROWS = 25;

const cut = new WeakMap<readonly SecurityEvent[], readonly Chunk[]>();

/** The chunks of a page of the API. */
export const chunksOf = (page: readonly SecurityEvent[]): readonly Chunk[] => {
  const known = cut.get(page);
  if (known !== undefined) return known;
  const chunks = Array.from({ length: Math.ceil(page.length / MOST_ROWS) }, (_, index) =>
    page.slice(index * MOST_ROWS, (index + 1) * MOST_ROWS),
  );
  cut.set(page, chunks);
  return chunks;
};

const newestFirst = (events: readonly SecurityEvent[]): SecurityEvent[] =>
  events.toSorted((one, other) => (one.id < other.id ? 1 : -1));

/** Puts new events above others. Only the first chunk changes, while it has room. Ids sort by time. */
export const prepend = (chunks: readonly Chunk[], events: readonly SecurityEvent[]): readonly Chunk[] => {
  if (events.length === 0) return chunks;
  const [first = [], ...rest] = chunks;
  const hasRoom = first.length < MOST_ROWS;
  const all = newestFirst(hasRoom ? [...events, ...first] : events);
  const added: Chunk[] = [];
  // From the oldest on, so that full chunks stay as they are.
  for (let end = all.length; end > 0; end -= MOST_ROWS) added.unshift(all.slice(Math.max(0, end - MOST_ROWS), end));
  return hasRoom ? [...added, ...rest] : [...added, ...chunks];
};

type Shown = {
  firstPage: readonly SecurityEvent[];
  /** Whether the first page is all that the list had when it was read. */
  isOnlyPage: boolean;
  /** Events that came later. */
  later: readonly Chunk[];
};

/** The events of an answer that are new to a list. Events older than its first page belong to its next pages. */
export const unknownEvents = (
  answer: readonly SecurityEvent[],
  { firstPage, isOnlyPage, later }: Shown,
): SecurityEvent[] => {
  const known = new Set([firstPage, ...later].flatMap((events) => events.map(({ id }) => id)));
  const oldest = isOnlyPage ? "" : (firstPage.at(-1)?.id ?? "");
  return answer.filter(({ id }) => id > oldest && !known.has(id));
};
