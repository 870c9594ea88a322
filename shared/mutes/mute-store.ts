import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { getItem, type Table, unchanged, updateItem } from "../runtime/table.ts";
import { queryPage } from "../runtime/table-query.ts";
import { deletePart, putPart, transact, updatePart } from "../runtime/table-transaction.ts";
import { expiryOf } from "../terms/hours.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { listWaiting } from "../work/sharded-index-store.ts";
import { MAX_OPEN_MUTES } from "./mute.ts";
import {
  dueIndex,
  isExpired,
  LiveItem,
  liveKey,
  MUTE_PREFIX,
  type MuteChange,
  type MuteItem,
  muteKey,
  parseMuteItem,
} from "./mute-item.ts";

const MAX_ATTEMPTS = 12;

/** Mutes whose end waits for its worker count as well: a dispatcher reads all live mutes. */
const MAX_LIVE_MUTES = 4 * MAX_OPEN_MUTES;

/** Mutes that are looked at in one turn. */
const DUE_AT_ONCE = 100;

/** A mute of an organization. */
export type MuteRef = { organizationId: string; id: string };

export type MuteStore = ReturnType<typeof createMuteStore>;

/**
 * The mutes of organizations; keys in mute-item.ts. Times are epoch ms. All calls throw DomainError `store_unavailable`.
 * @param options.newToken a unique text.
 */
export const createMuteStore = (
  table: Table<"mutes">,
  { retentionDays, newToken }: { retentionDays: number; newToken: () => string },
) => {
  const read = async (organizationId: string, id: string, now: number): Promise<MuteItem | undefined> => {
    const stored = await getItem(table, muteKey(organizationId, id));
    const item = stored && parseMuteItem(stored);
    return item === undefined || isExpired(item, now) ? undefined : item;
  };

  const readLive = async (organizationId: string) =>
    LiveItem.parse((await getItem(table, liveKey(organizationId))) ?? {});

  /** The attributes of index `byDue`. */
  const dueEntry = (organizationId: string, id: string, dueAt: number) => ({
    dueShard: dueIndex.shardOf(organizationId + id),
    dueAt,
  });

  return {
    /** Reads strongly; undefined if there is no such mute, or no longer. One or two read units. */
    read,

    /**
     * A page of mutes, newest first. May lag by a second; half a read unit per 4 KB.
     * @param page.after the id of the last mute of the page before.
     */
    async list(
      organizationId: string,
      { limit, after, now }: { limit: number; after: string | undefined; now: number },
    ): Promise<{ items: MuteItem[]; next: string | undefined }> {
      const query = {
        where: "#scope = :scope AND begins_with(#key, :prefix)",
        values: { scope: organizationKey(organizationId), prefix: MUTE_PREFIX },
        after: after === undefined ? undefined : muteKey(organizationId, after),
        isDescending: true,
      };
      const { items, hasMore } = await queryPage(table, query, limit);
      const mutes = items.map(parseMuteItem);
      return { items: mutes.filter((one) => !isExpired(one, now)), next: hasMore ? mutes.at(-1)?.id : undefined };
    },

    /** The mutes that have not ended, or whose end is not worked off, read strongly. Half a read unit if there are none. */
    async live(organizationId: string): Promise<MuteItem[]> {
      const { live } = await readLive(organizationId);
      const stored = await Promise.all(Object.keys(live).map((id) => getItem(table, muteKey(organizationId, id))));
      return stored.flatMap((item) => (item === undefined ? [] : [parseMuteItem(item)]));
    },

    /**
     * Stores a new mute. Eight write units, and one per KB of the list of live mutes.
     * @param dueAt when the worker must look at it first.
     * @returns `exists` if an earlier attempt of the same request has created it.
     */
    async create(
      organizationId: string,
      mute: Omit<MuteItem, "ttl">,
      { dueAt, now }: { dueAt: number; now: number },
    ): Promise<"created" | "exists" | "too_many"> {
      const item = {
        ...muteKey(organizationId, mute.id),
        ...mute,
        ...dueEntry(organizationId, mute.id, dueAt),
        ttl: expiryOf(mute.until, retentionDays),
      };
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const { live, version } = await readLive(organizationId);
        const ends = Object.values(live);
        if (ends.filter((end) => end > now).length >= MAX_OPEN_MUTES || ends.length >= MAX_LIVE_MUTES) {
          return (await read(organizationId, mute.id, now)) === undefined ? "too_many" : "exists";
        }
        const failed = await transact(table, [
          putPart(table, item, { condition: "attribute_not_exists(#key)" }),
          updatePart(table, liveKey(organizationId), {
            set: { live: { ...live, [mute.id]: mute.until }, version: newToken() },
            ...unchanged("version", version),
          }),
        ]);
        if (failed.size === 0) return "created";
        if (failed.has(0)) return "exists";
        await pauseBeforeRetry(attempts);
      }
      throw new DomainError("store_unavailable", "Mutes change too fast. Try again.");
    },

    /** Ends a mute before its time; its worker is due at once. Six write units. @returns false if it has ended. */
    async end(organizationId: string, id: string, change: MuteChange): Promise<boolean> {
      const { at, by } = change;
      const failed = await transact(table, [
        updatePart(table, muteKey(organizationId, id), {
          set: {
            endedAt: at,
            change,
            ...definedFields({ endedBy: by?.userId }),
            ...dueEntry(organizationId, id, at),
            ttl: expiryOf(at, retentionDays),
          },
          condition: "attribute_exists(#key) AND attribute_not_exists(#endedAt) AND #until > :now",
          values: { now: at },
        }),
        updatePart(table, liveKey(organizationId), {
          set: { version: newToken() },
          also: "#live.#id = :at",
          condition: "attribute_exists(#live.#id)",
          names: { id },
          values: { at },
        }),
      ]);
      return failed.size === 0;
    },

    /** Deletes a mute. Four write units. */
    async delete(organizationId: string, id: string): Promise<void> {
      await transact(table, [
        deletePart(table, muteKey(organizationId, id)),
        updatePart(table, liveKey(organizationId), {
          set: { version: newToken() },
          remove: [`live.${id}`],
          condition: "attribute_exists(#live)",
        }),
      ]);
    },

    /** Forgets a change whose event is recorded. @param dueAt when the worker must look at the mute next. Three write units. */
    async noteRecorded(organizationId: string, id: string, { action }: MuteChange, dueAt: number): Promise<void> {
      await updateItem(table, muteKey(organizationId, id), {
        set: dueEntry(organizationId, id, dueAt),
        remove: ["change"],
        condition: "#change.#action = :action",
        values: { action },
      });
    },

    /** Mutes that have been due before a time, the oldest of each shard first. May lag by a second. */
    async listDue(before: number): Promise<MuteRef[]> {
      const entries = await listWaiting(table, dueIndex, { before, limit: DUE_AT_ONCE });
      return entries.map(({ scope, key }) => ({
        organizationId: organizationIdOf(String(scope)),
        id: String(key).slice(MUTE_PREFIX.length),
      }));
    },

    /**
     * Notes that a mute's spans have ended up to a time. From then on nothing more is hidden in them. One write unit per KB.
     * @param end.change the mute's own end, whose event must be recorded.
     */
    async noteEnd(organizationId: string, id: string, end: { until: number; change?: MuteChange | undefined }) {
      const { until, change } = end;
      await updateItem(table, muteKey(organizationId, id), {
        set: { drainedUntil: until, ...(change && { endedAt: until, change }) },
        condition: `attribute_exists(#key)${change === undefined ? "" : " AND attribute_not_exists(#endedAt)"}`,
      });
    },

    /** Sets when the worker must look at a mute next. @param dueAt undefined after its end: then it is not live any more. */
    async noteDrained(organizationId: string, id: string, dueAt: number | undefined): Promise<void> {
      const isStored = "attribute_exists(#key)";
      if (dueAt !== undefined) {
        // A user may have ended the mute since: then it stays due at once.
        const set = dueEntry(organizationId, id, dueAt);
        const condition = `${isStored} AND attribute_not_exists(#endedAt)`;
        await updateItem(table, muteKey(organizationId, id), { set, condition });
        return;
      }
      await updateItem(table, liveKey(organizationId), {
        set: { version: newToken() },
        remove: [`live.${id}`],
        condition: "attribute_exists(#live)",
      });
      await updateItem(table, muteKey(organizationId, id), { remove: ["dueShard", "dueAt"], condition: isStored });
    },
  };
};
