/**
 * Reads the activity of an organization's account at the provider, and records each entry as one security event. Every
 * hour; docs/connection.md, "The account's activity".
 *
 * A read is dated by its beginning, which is stored first. So a read that is repeated after a crash records the same
 * events again, with the same ids:
 *
 *     store the beginning ── page ── record its entries ── store the page ── … ── store the end
 */
import { effectiveState } from "../circuit-breaker/circuit.ts";
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { OpenConnection } from "../connection/open-connection.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { ActivityLog, ProviderAccess } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import type { Clock } from "../runtime/clock.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { activityEvent } from "./activity-events.ts";
import { type ActivityItem, advanceReading, freshOf, isRefusedLately } from "./activity-item.ts";
import type { ActivityStore } from "./activity-store.ts";
import { failureOf } from "./sync-failure.ts";

/** No page is begun with less time left. The next hour goes on from the page that is stored. */
const RESERVED_MS = 30_000;

const EVENTS_AT_ONCE = 8;

export type ReadActivityDependencies = {
  /** Whether the organization wants it. */
  isWanted(organizationId: string): Promise<boolean>;
  circuits: Pick<CircuitStore, "read">;
  openConnection: OpenConnection;
  access: Pick<ProviderAccess, "openActivityLog" | "flush">;
  activity: ActivityStore;
  recorder: Pick<Recorder, "record">;
  /** Judges entries that were recorded now. Repeatable. */
  judge(organizationId: string, recorded: readonly RecordedEntry[]): Promise<void>;
  clock: Clock;
};

/** The event of an entry. */
export type RecordedEntry = Pick<SecurityEvent, "id" | "metadata">;

export type ReadActivity = (
  organizationId: string,
  remainingMs: () => number,
) => Promise<{ isRead: boolean; entries: number }>;

type Work = {
  organizationId: string;
  connectionId: string;
  log: ActivityLog;
  remainingMs: () => number;
};

/**
 * Repeated, and by two workers at once, it records each entry once. Two read units and two write units when quiet, beside
 * the request. The returned function throws DomainError `store_unavailable`.
 */
export const createReadActivity = ({
  isWanted,
  circuits,
  openConnection,
  access,
  activity,
  recorder,
  judge,
  clock,
}: ReadActivityDependencies): ReadActivity => {
  const recordAll = async (
    { organizationId, connectionId, log, remainingMs }: Work,
    begun: ActivityItem,
  ): Promise<{ isRead: boolean; entries: number }> => {
    let item = begun;
    let entries = 0;
    while (item.reading !== undefined && remainingMs() > RESERVED_MS) {
      const { reading, accountId } = item;
      let page: Awaited<ReturnType<ActivityLog["list"]>>;
      try {
        page = await log.list({ after: reading.after });
      } catch (error) {
        if (!(error instanceof ProviderError && error.reason === "not_permitted")) throw error;
        // The provider may have forgotten the page. What is recorded again are the same events.
        if (reading.after !== undefined) {
          const again = { ...item, reading: { at: reading.at, seen: "" } };
          await activity.replace(organizationId, item, again);
          return { isRead: false, entries };
        }
        const { reading: _, ...rest } = item;
        const reason = error.code ?? `http_${error.status}`;
        await activity.replace(organizationId, item, { ...rest, refused: { reason, at: reading.at, connectionId } });
        return { isRead: false, entries };
      }
      const fresh = freshOf(item, reading, page.items);
      const recorded: RecordedEntry[] = [];
      await inParallel(fresh, EVENTS_AT_ONCE, async (entry) => {
        const moment = { timestamp: reading.at, identity: identityOf("activity", organizationId, entry.id) };
        const event = activityEvent({ organizationId, accountId }, entry);
        // An event below the log level is judged, too.
        const { id, metadata } = (await recorder.record(event, moment)) ?? {
          id: eventId(moment.timestamp, moment.identity),
          metadata: event.metadata,
        };
        recorded.push({ id, metadata });
      });
      // The first read, and what happened while it was off, are what the rules compare with.
      if (recorded.length > 0 && item.readUntil !== undefined && item.isOff !== true) {
        await judge(organizationId, recorded);
      }
      entries += fresh.length;
      const next = advanceReading(reading, page.items, page.next);
      const { reading: _, refused: __, isOff, ...rest } = item;
      const isEnd = page.next === undefined;
      const after = isEnd
        ? { ...rest, readUntil: reading.at, known: next.seen }
        : { ...rest, ...definedFields({ isOff }), reading: next };
      const stored = await activity.replace(organizationId, item, after);
      // Another worker reads the same.
      if (stored === undefined) return { isRead: false, entries };
      item = stored;
    }
    return { isRead: item.reading === undefined, entries };
  };

  return async (organizationId, remainingMs) => {
    const nothing = { isRead: false, entries: 0 };
    if (!(await isWanted(organizationId))) {
      const stored = await activity.read(organizationId);
      if (stored !== undefined && stored.isOff !== true)
        await activity.replace(organizationId, stored, { ...stored, isOff: true });
      return nothing;
    }
    if (effectiveState(await circuits.read(organizationId), clock()).state === "open") return nothing;
    try {
      const { connection, credentials } = await openConnection(organizationId);
      const { accountId, connectionId } = connection;
      const stored = await activity.read(organizationId);
      const same = stored?.accountId === accountId ? stored : undefined;
      if (same !== undefined && isRefusedLately(same, connectionId, clock())) return nothing;
      const before = same ?? { accountId, known: "" };
      const reading = same?.reading ?? { at: clock(), seen: "" };
      const begun = await activity.replace(organizationId, stored, { ...before, reading });
      if (begun === undefined) return nothing;
      // A read of the log does not count as a proof of the key: the proofs stay where they are due.
      const { accepted: _, ...unproved } = credentials;
      const log = access.openActivityLog(unproved, { organizationId, source: "system", accountId });
      return await recordAll({ organizationId, connectionId, log, remainingMs }, begun);
    } catch (error) {
      if (failureOf(error) === undefined) throw error;
      return nothing;
    } finally {
      await access.flush();
    }
  };
};
