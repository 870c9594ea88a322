/** The file of an export of security events, newest event first, as GET …/security lists them; without those of drills. */
import { type ArchiveSpan, firstHourInTables } from "../archive/archive-hour.ts";
import type { ArchiveStore } from "../archive/archive-store.ts";
import { createArchivedEvents } from "../archive/archived-events.ts";
import type { Clock } from "../runtime/clock.ts";
import { firstIdAt } from "../security/event-id.ts";
import { toOcsf } from "../security/ocsf/to-ocsf.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import type { SecurityEventStore } from "../security/security-event-store.ts";
import { CSV_HEAD, toCsvRows } from "./csv.ts";
import type { ExportFilter, ExportFormat } from "./export.ts";
import { type FileSource, NDJSON, toLines } from "./file-source.ts";

/** A query returns 1 MB at most; an event has about 700 bytes. */
const EVENTS_PER_PAGE = 1_000;

type Format = Pick<FileSource, "name" | "contentType" | "head"> & {
  write(events: readonly SecurityEvent[]): string;
};

const formats: Record<ExportFormat, Format> = {
  ndjson: { name: "events.ndjson", contentType: NDJSON, write: toLines },
  csv: { name: "events.csv", contentType: "text/csv; charset=utf-8", head: CSV_HEAD, write: toCsvRows },
  ocsf: {
    name: "events.ocsf.ndjson",
    contentType: NDJSON,
    write: (events) => toLines(events.map(toOcsf)),
  },
};

/** The events that the tables may no longer have. */
type OlderEvents = { archive: Pick<ArchiveStore, "find" | "listDay">; span: ArchiveSpan };

export type EventSourceDependencies = {
  events: Pick<SecurityEventStore, "list">;
  /** Undefined if the deployment has no archive. */
  older?: OlderEvents | undefined;
  clock: Clock;
  eventsPerPage?: number;
};

/**
 * Half a read unit per 4 KB of events, and that of the filter's index (security-event-store.ts). In the archive, a write of
 * S3's prices for each day and a read for each hour with events. A position is the id of an event: older ones follow.
 */
export const eventSource = (
  { events, older, clock, eventsPerPage: limit = EVENTS_PER_PAGE }: EventSourceDependencies,
  organizationId: string,
  { format, filter }: { format: ExportFormat; filter: ExportFilter },
): FileSource => {
  const { write, ...file } = formats[format];
  const { since, until } = filter;
  const selection = { organizationId, ...filter };
  // It remembers an hour, so no other export may use it: an erasure may come between them.
  const archived = older && createArchivedEvents(older.archive, older.span);
  return {
    ...file,
    async read(after) {
      // The store refuses a query whose period ends before it begins.
      if (until <= since) return { text: "", count: 0, next: undefined };
      const now = clock();
      // An accepted filter on `processed` asks for nothing that the tables have lost (request-export.ts).
      const border =
        older === undefined || filter.processed !== undefined
          ? since
          : Math.max(firstHourInTables(now, older.span), since);
      const borderId = firstIdAt(border);
      const isInTables = until > border && (after === undefined || after > borderId);
      const page =
        archived === undefined || isInTables
          ? await events.list({ ...selection, since: border }, { limit, after, now })
          : await archived.list(
              { ...selection, until: Math.min(until, border) },
              { before: after ?? borderId, limit, now },
            );
      const rest = isInTables && border > since ? borderId : undefined;
      const exported = page.events.filter(({ drill }) => drill !== true);
      return { text: write(exported), count: exported.length, next: page.next ?? rest };
    },
  };
};
