/**
 * Lists the events of the archive like those of the tables: a selection, newest first, page by page. An hour's object is
 * read as a whole, because its oldest event comes first.
 */

import { firstIdAt, timeOfEventId } from "../security/event-id.ts";
import type { Selection } from "../security/event-item.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { startOfDay, startOfHour } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { type ArchiveSpan, firstArchivedHour } from "./archive-hour.ts";
import { idOfLine, parseLine } from "./archive-line.ts";
import type { ArchiveStore } from "./archive-store.ts";

/** The filters that a line answers; `processed` changes after the hour was written. */
const FILTERS = ["eventType", "category", "riskLevel", "userId", "success", "source", "ipAddress"] as const;

/** `before`: only events with lower ids. `limit`: a page may be shorter and still have a next one. `now`: epoch ms. */
type PageOptions = { before: string; limit: number; now: number };

/** The time of the newest event that may have a lower id, epoch ms. */
const newestTimeBefore = (id: string): number => {
  const time = timeOfEventId(id) ?? 0;
  return id === firstIdAt(time) ? time - 1 : time;
};

/** For the pages of one reader: it remembers the hour that it has read last. */
export const createArchivedEvents = (archive: Pick<ArchiveStore, "find" | "listDay">, { months }: ArchiveSpan) => {
  /** The hour of the last page: the next one usually continues in it. */
  let last: { scope: string; hour: number; lines: readonly string[] } | undefined;
  const linesOf = async (scope: string, hour: number): Promise<readonly string[]> => {
    if (last?.scope === scope && last.hour === hour) return last.lines;
    const lines = (await archive.find(scope, hour))?.lines ?? [];
    last = { scope, hour, lines };
    return lines;
  };

  /** The events of a day's hours, newest first. @param hours of the day, newest first. */
  async function* eventsOf(scope: string, hours: readonly number[], before: string) {
    for (const hour of hours) {
      for (const line of (await linesOf(scope, hour)).toReversed())
        if (idOfLine(line) < before) yield parseLine(line).event;
    }
  }

  /**
   * A page of at most a day.
   * @returns `next`: as `before` of the next page; undefined if the selection has no older event in the archive.
   * @throws DomainError `store_unavailable`.
   */
  const list = async (
    selection: Selection,
    { before, limit, now }: PageOptions,
  ): Promise<{ events: SecurityEvent[]; next: string | undefined }> => {
    const { organizationId, since, until = Number.POSITIVE_INFINITY } = selection;
    const scope = organizationKey(organizationId);
    const oldest = Math.max(startOfHour(since), firstArchivedHour(now, months));
    const newestMs = Math.min(newestTimeBefore(before), until - 1);
    const day = startOfDay(newestMs);
    const isInSelection = (hour: number) => hour >= oldest && hour <= newestMs;
    const hours = newestMs < oldest ? [] : (await archive.listDay(scope, day)).filter(isInSelection).reverse();
    const matches = (event: SecurityEvent): boolean =>
      event.timestamp >= since &&
      event.timestamp < until &&
      FILTERS.every((name) => selection[name] === undefined || selection[name] === event[name]);
    const events: SecurityEvent[] = [];
    for await (const event of eventsOf(scope, hours, before)) {
      if (!matches(event)) continue;
      events.push(event);
      if (events.length === limit) return { events, next: event.id };
    }
    return { events, next: day > oldest ? firstIdAt(day) : undefined };
  };

  return { list };
};
