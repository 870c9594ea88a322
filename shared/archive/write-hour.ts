/** Writes the objects of an hour, of the feed and of the archive, from one read of its events. */
import type { HourEvent, HourEventsStore } from "../security/feed/hour-events-store.ts";
import { createLineFile } from "./line-file.ts";

/** An object that is being made of an hour's events. */
export type HourFile = {
  /** @param stored the events in order of their ids. */
  lineOf(stored: HourEvent): string;
  /**
   * Writes the object, after the last event.
   * @param body the compressed lines; undefined without events.
   * @returns false if it must be written again later, though nothing changes until then.
   * @throws DomainError `store_unavailable`; the object is then as before or new.
   */
  write(body: Uint8Array | undefined): Promise<boolean>;
};

export type Hour = { scope: string; hour: number };

/**
 * Writing an hour again does no harm, because the same events give the same bytes. Holds a page of events and the
 * compressed lines in memory.
 * @param now epoch ms.
 * @returns the number of its events, and whether all files need not be written again.
 */
export const writeHour = async (
  events: Pick<HourEventsStore, "read">,
  { scope, hour }: Hour,
  files: readonly HourFile[],
  now: number,
): Promise<{ count: number; isWhole: boolean }> => {
  const open = files.map((file) => ({ file, lines: createLineFile() }));
  let count = 0;
  for await (const stored of events.read(scope, hour, now)) {
    count++;
    for (const { file, lines } of open) await lines.add(file.lineOf(stored));
  }
  let isWhole = true;
  for (const { file, lines } of open) isWhole = (await file.write(await lines.end())) && isWhole;
  return { count, isWhole };
};
