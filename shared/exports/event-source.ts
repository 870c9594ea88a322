/** The file of an export of security events, newest event first, as GET …/security lists them; without those of drills. */
import type { Clock } from "../runtime/clock.ts";
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

export type EventSourceDependencies = {
  events: Pick<SecurityEventStore, "list">;
  clock: Clock;
  eventsPerPage?: number;
};

/** Half a read unit per 4 KB of events, and that of the filter's index (security-event-store.ts). */
export const eventSource = (
  { events, clock, eventsPerPage = EVENTS_PER_PAGE }: EventSourceDependencies,
  organizationId: string,
  { format, filter }: { format: ExportFormat; filter: ExportFilter },
): FileSource => {
  const { write, ...file } = formats[format];
  const selection = { organizationId, ...filter };
  return {
    ...file,
    async read(after) {
      // The store refuses a query whose period ends before it begins.
      if (filter.until <= filter.since) return { text: "", count: 0, next: undefined };
      const page = await events.list(selection, { limit: eventsPerPage, after, now: clock() });
      const exported = page.events.filter(({ drill }) => drill !== true);
      return { text: write(exported), count: exported.length, next: page.next };
    },
  };
};
