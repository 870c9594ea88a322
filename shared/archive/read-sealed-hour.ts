/** The stored events of an hour with what their leaves need: from the tables, or from the archive once they have expired. */
import { type HourLeaf, leafOf, type SealableEvent, type SealedHour } from "../evidence/hour-leaves.ts";
import type { Clock } from "../runtime/clock.ts";
import type { HourEventsStore } from "../security/feed/hour-events-store.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { type ArchivedEvent, parseLine } from "./archive-line.ts";
import type { ArchiveStore } from "./archive-store.ts";

export type ReadSealedHourDependencies = {
  events: HourEventsStore;
  evidence: { getHour(scope: string, hour: number): Promise<Pick<SealedHour, "late"> | undefined> };
  /** Undefined if the deployment has no archive. */
  archive?: Pick<ArchiveStore, "find"> | undefined;
  /** Of events that are recorded now. */
  retentionMs: number;
  now: Clock;
};

/** `event`: as the API returns it. `expiresAt`: when the tables lose it, epoch ms; undefined if it is of the archive. */
export type StoredEvent = SealableEvent & { event: SecurityEvent; expiresAt?: number | undefined };

/** An event for sealing and integrity, which need no content. */
export const toHourLeaf = (stored: StoredEvent): HourLeaf & Pick<StoredEvent, "expiresAt"> => ({
  ...leafOf(stored),
  expiresAt: stored.expiresAt,
});

/** An event of an older version that was never sealed: no salt makes its leaf one of a sealed hour. */
const NO_SALT = new Uint8Array();

/** A line without an index is of a late event that was not sealed when the hour was written. */
const ofLine = (
  { event, salt = NO_SALT, index, hash, erasure }: ArchivedEvent,
  late: ReadonlySet<string>,
): StoredEvent => ({
  event,
  salt,
  isLate: index === undefined || late.has(event.id),
  hash,
  erasure,
});

/**
 * What is kept of the events of an hour, in order of their ids; undefined if one has expired and no archive holds it.
 * @param expiresAt when the tables lose the first of them, epoch ms; undefined if it is not known, and follows from the
 *   retention.
 * @throws DomainError `store_unavailable`.
 */
export type ReadSealedHour<Kept> = (scope: string, hour: number, expiresAt?: number) => Promise<Kept[] | undefined>;

/** @param keep what is kept of each event, as soon as it is read: an hour may have more events than memory holds. */
export const createReadSealedHour = <Kept>(
  { events, evidence, archive, retentionMs, now }: ReadSealedHourDependencies,
  keep: (event: StoredEvent) => Kept,
): ReadSealedHour<Kept> => {
  const readTables = async (scope: string, hour: number): Promise<Kept[]> => {
    const found: Kept[] = [];
    for await (const { event, seal, expiresAt } of events.read(scope, hour, now()))
      found.push(keep({ ...seal, event, salt: seal.salt ?? NO_SALT, expiresAt }));
    return found;
  };

  const readArchive = async (scope: string, hour: number): Promise<Kept[] | undefined> => {
    if (archive === undefined) return undefined;
    const [found, sealed] = await Promise.all([archive.find(scope, hour), evidence.getHour(scope, hour)]);
    const late = new Set(sealed?.late.flat());
    // An idle hour has no object; one with events has lost its object.
    if (found === undefined && sealed !== undefined) return undefined;
    return (found?.lines ?? []).map((line) => keep(ofLine(parseLine(line), late)));
  };

  return async (scope, hour, expiresAt = hour + HOUR_MS + retentionMs) => {
    const at = now();
    if (at < expiresAt - HOUR_MS) return readTables(scope, hour);
    const archived = await readArchive(scope, hour);
    return archived ?? (expiresAt <= at ? undefined : readTables(scope, hour));
  };
};
