/** The events of a selection: pages of the API below, and above them what came since. */
import { useRef, useState } from "preact/hooks";
import { api, page } from "../../api/client.ts";
import { type PagedList, usePagedList } from "../../api/paged-list.ts";
import type { SecurityEvent, SecurityReport, SecurityStatistics, SuspiciousActivity } from "../../api/types.ts";
import { type Chunk, chunksOf, prepend, unknownEvents } from "./chunks.ts";
import { readFirstPage } from "./first-page.ts";
import { type Chosen, type EventQuery, keyOf, LIST_PATH } from "./query.ts";

/** Each page counts the selection again, so these are larger than the first. */
const NEXT_LIMIT = 250;
/** The live tail starts a new list when it has added more. */
const MOST_LATER = 5_000;

/** What came since the first page was read. */
type Later = {
  firstPage: readonly SecurityEvent[] | undefined;
  chunks: readonly Chunk[];
  /** Events that wait until the user is at the top. */
  waiting: readonly SecurityEvent[];
  /** Whether more came than was read. */
  hasGap: boolean;
};

const nothing = (firstPage: Later["firstPage"]): Later => ({ firstPage, chunks: [], waiting: [], hasGap: false });

type Head = { key: string; stats: SecurityStatistics; findings: readonly SuspiciousActivity[] };

const sizeOf = (chunks: readonly Chunk[]): number => chunks.reduce((sum, { length }) => sum + length, 0);

export type EventList = {
  list: PagedList<SecurityEvent>;
  /** Identifies the selection. */
  key: string;
  query: EventQuery;
  head: Omit<Head, "key"> | undefined;
  chunks: readonly Chunk[];
  newestAt: number | undefined;
  waiting: number;
  hasGap: boolean;
  /** Takes an answer of the live tail. @param mayShow whether the list may move now. */
  add(events: readonly SecurityEvent[], hasGap: boolean, mayShow: boolean): void;
  /** Shows the events that wait. */
  show(): void;
  setReport(report: SecurityReport): void;
};

export const useEventList = (chosen: Chosen): EventList => {
  const key = keyOf(chosen);
  const query = useRef<EventQuery>({});
  const [head, setHead] = useState<Head>();
  const setReport = ({ stats, suspiciousActivity }: SecurityReport): void =>
    setHead({ key, stats, findings: suspiciousActivity });

  const list = usePagedList(`events ${key}`, async (after, signal) => {
    if (after.cursor === undefined) {
      const { query: asked, report, next } = await readFirstPage(chosen, signal);
      query.current = asked;
      setReport(report);
      return { items: report.events, next };
    }
    // A cursor belongs to its query: all pages have the beginning that the first one had.
    const params = { query: { ...query.current, limit: NEXT_LIMIT, ...after } };
    const { items, next } = await page(api.GET(LIST_PATH, { params, signal }));
    return { items: items.events, next };
  });

  const firstPage = list.pages[0];
  const [stored, setLater] = useState(() => nothing(firstPage));
  const later = stored.firstPage === firstPage ? stored : nothing(firstPage);
  const now = useRef(later);
  now.current = later;
  const change = (next: Later): void => {
    now.current = next;
    setLater(next);
  };

  const show = (): void => {
    const { chunks, waiting, hasGap } = now.current;
    if (hasGap || sizeOf(chunks) + waiting.length > MOST_LATER) {
      change(nothing(firstPage));
      list.reload();
    } else change({ ...now.current, chunks: prepend(chunks, waiting), waiting: [] });
  };

  const newest = later.waiting[0] ?? later.chunks[0]?.[0] ?? firstPage?.[0];
  return {
    list,
    key,
    query: query.current,
    show,
    setReport,
    head: head?.key === key || list.isStale ? head : undefined,
    chunks: [...later.chunks, ...list.pages.flatMap(chunksOf)],
    newestAt: newest?.timestamp,
    waiting: later.waiting.length,
    hasGap: later.hasGap,
    add: (events, hasGap, mayShow) => {
      const { chunks, waiting } = now.current;
      const isOnlyPage = list.pages.length === 1 && !list.hasMore;
      const unknown = unknownEvents(events, { firstPage: firstPage ?? [], isOnlyPage, later: [...chunks, waiting] });
      if (unknown.length > 0) change({ ...now.current, waiting: [...unknown, ...waiting], hasGap });
      if (mayShow && (now.current.waiting.length > 0 || now.current.hasGap)) show();
    },
  };
};
