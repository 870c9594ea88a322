/** The live tail: asks for events that came since the newest one. While it is open, it follows; a hidden tab asks nothing. */
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { SecurityEvent, SecurityReport } from "../../api/types.ts";
import { serviceNow } from "../../words/clock.ts";
import { beginOf, type EventQuery, LIST_PATH } from "./query.ts";

const EVERY_MS = 3_000;
/** The statistics of the whole selection cost the service more than its newest events. */
const STATISTICS_EVERY_MS = 30_000;
/** A list of the API may lag, and an event may be recorded late. */
const OVERLAP_MS = 10_000;
/** The API's greatest page. */
const MOST_EVENTS = 1_000;

type Props = {
  /** Identifies the selection. */
  selection: string;
  query: EventQuery;
  /** The time of the newest event of the list, epoch milliseconds; undefined if the list is empty. */
  newestAt: number | undefined;
  /** @param hasGap whether more events came than one answer has. */
  onEvents: (events: readonly SecurityEvent[], hasGap: boolean) => void;
  onReport: (report: SecurityReport) => void;
};

export const Tail = ({ selection, query, newestAt, onEvents, onReport }: Props) => {
  const { problem } = useResource(
    `events tail ${selection}`,
    async (signal) => {
      const begin = beginOf(query, serviceNow());
      const since = newestAt === undefined ? begin : Math.max(begin, newestAt - OVERLAP_MS);
      const asked = { ...query, since: new Date(since).toISOString(), limit: MOST_EVENTS };
      const { events, nextCursor } = await answer(api.GET(LIST_PATH, { params: { query: asked }, signal }));
      onEvents(events, nextCursor !== undefined);
    },
    { everyMs: EVERY_MS },
  );
  useResource(
    `events report ${selection}`,
    async (signal) => onReport(await answer(api.GET(LIST_PATH, { params: { query: { ...query, limit: 1 } }, signal }))),
    { everyMs: STATISTICS_EVERY_MS },
  );
  return (
    problem !== undefined && (
      <p class="quiet" role="status">
        New events cannot be read at present: {problem.message} The page tries again by itself.
      </p>
    )
  );
};
