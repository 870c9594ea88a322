import * as z from "zod/mini";
import type { SealedHour } from "../evidence/hour-leaves.ts";
import type { Hash } from "../evidence/merkle-tree.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { deleteItem, getItem, putItem, type Table, unchanged } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { putPart, transact } from "../runtime/table-transaction.ts";
import {
  type Head,
  HeadItem,
  HourItem,
  headKeyOf,
  headScopes,
  hourKey,
  hourOfKey,
  LateItem,
  LEASE_KEY,
  LOG_SCOPE,
  type LogState,
  LogStateItem,
  lastKeyOf,
  lastSlotsKey,
  lateKey,
  leafKey,
  recordKey,
  SLOTS_PREFIX,
  STATE_KEY,
  slotsKey,
} from "./evidence-item.ts";

const HASH_BYTES = 32;
/** 256 KB; an item has at most 400 KB. */
const HASHES_PER_ITEM = 8_192;

const Entry = z.object({ entry: z.string() });
const Hashes = z.object({ key: z.string(), hashes: z.instanceof(Uint8Array) });

const versionOfKey = (key: string): number => Number(key.slice(key.lastIndexOf("#") + 1));

/** An hour as it is sealed. `hour`: its start, epoch ms. `step`, `expiresAt`: see HourItem. */
export type StoredHour = SealedHour & { hour: number; step: number; expiresAt?: number | undefined };

/**
 * A version of an hour, to be stored in one transaction. `previous`: the version and the head that it follows; undefined
 * if there is none. `record`: the entry of the organization's log at the index `previous.head.size`. `late`: the ids of the
 * late events that it adds.
 */
export type NewVersion = {
  scope: string;
  hour: Omit<StoredHour, "late">;
  late: readonly string[];
  record: string;
  head: Head;
  previous: { version: number | undefined; head: Head | undefined };
};

export type EvidenceStore = ReturnType<typeof createEvidenceStore>;

/** What is sealed. All reads are strongly consistent, and all calls throw DomainError `store_unavailable`. */
export const createEvidenceStore = (table: Table<"evidence">, now: Clock) => {
  async function* pagesBetween(scope: string, first: string, last: string) {
    if (first > last) return;
    const where = "#scope = :scope AND #key BETWEEN :first AND :last";
    yield* queryPages(table, { where, values: { scope, first, last }, isConsistent: true });
  }

  async function* entriesBetween(scope: string, first: string, last: string): AsyncGenerator<string, void, void> {
    for await (const page of pagesBetween(scope, first, last)) yield* page.map((item) => Entry.parse(item).entry);
  }

  return {
    /** The state of the deployment's log; undefined before its first step. One read unit. */
    async getState(): Promise<LogState | undefined> {
      const item = await getItem(table, { scope: LOG_SCOPE, key: STATE_KEY });
      return item && LogStateItem.parse(item);
    },

    /**
     * Replaces the state, if it is still as it was read; one write unit.
     * @returns the state as it is stored; undefined if another worker has written one.
     */
    async putState(state: Omit<LogState, "token">, previous: LogState | undefined): Promise<LogState | undefined> {
      const next = { ...state, token: newRequestToken() };
      const condition = { ...unchanged("token", previous?.token), own: "token" };
      const { written } = await putItem(table, { scope: LOG_SCOPE, key: STATE_KEY, ...next }, condition);
      return written ? next : undefined;
    },

    /**
     * Takes the lease of the log: only its holder writes here. One write unit.
     * @param until epoch ms; the holder must have ended by then.
     * @returns the token for `releaseLease`; undefined if another worker holds the lease.
     */
    async takeLease(until: number): Promise<string | undefined> {
      const token = newRequestToken();
      const isFree = { condition: "attribute_not_exists(#until) OR #until <= :now", values: { now: now() } };
      const lease = { scope: LOG_SCOPE, key: LEASE_KEY, token, until };
      return (await putItem(table, lease, { ...isFree, own: "token" })).written ? token : undefined;
    },

    /** Releases a lease that is still held; one write unit. */
    async releaseLease(token: string): Promise<void> {
      const isOwn = { condition: "#token = :token", values: { token } };
      await deleteItem(table, { scope: LOG_SCOPE, key: LEASE_KEY }, isOwn);
    },

    /** Stores a leaf of the log, again the same; one write unit. */
    async putLeaf(index: number, entry: string): Promise<void> {
      await putItem(table, { scope: LOG_SCOPE, key: leafKey(index), entry });
    },

    /** The entries of the log's leaves, in order. @param to exclusive. */
    listLeaves: (from: number, to: number): AsyncGenerator<string, void, void> =>
      entriesBetween(LOG_SCOPE, leafKey(from), to > from ? leafKey(to - 1) : ""),

    /** Stores the hashes of all slots in the step whose checkpoint has a size; a write unit per KB, 32 for 1,024 slots. */
    async putSlots(size: number, hashes: readonly Hash[]): Promise<void> {
      for (const [chunk, part] of [...chunksOf(hashes, HASHES_PER_ITEM)].entries())
        await putItem(table, { scope: LOG_SCOPE, key: slotsKey(size, chunk), hashes: Buffer.concat(part) });
    },

    /** The hashes of all slots; empty if they are no longer kept. A read unit per 4 KB. */
    async getSlots(size: number): Promise<Hash[]> {
      const hashes: Hash[] = [];
      for await (const page of pagesBetween(LOG_SCOPE, slotsKey(size, 0), lastSlotsKey(size)))
        for (const bytes of page.map((item) => Hashes.parse(item).hashes))
          for (let at = 0; at < bytes.length; at += HASH_BYTES) hashes.push(bytes.subarray(at, at + HASH_BYTES));
      return hashes;
    },

    /** Deletes the hashes of the slots of all steps before a size. */
    async deleteSlotsBefore(size: number): Promise<void> {
      const where = "#scope = :scope AND #key BETWEEN :first AND :last";
      const values = { scope: LOG_SCOPE, first: SLOTS_PREFIX, last: lastSlotsKey(size - 1) };
      for await (const page of queryPages(table, { where, values, attributes: ["key"] }))
        for (const { key } of page) await deleteItem(table, { scope: LOG_SCOPE, key: String(key) });
    },

    /** The heads of all organizations, by their scopes. A read unit per 4 KB, about 12 heads. */
    async listHeads(): Promise<Map<string, Head>> {
      const read = async (shard: string): Promise<[string, Head][]> => {
        const query = { where: "#scope = :scope", values: { scope: shard }, isConsistent: true };
        const heads: [string, Head][] = [];
        for await (const page of queryPages(table, query))
          heads.push(...page.map((item): [string, Head] => [String(item.key), HeadItem.parse(item)]));
        return heads;
      };
      return new Map((await Promise.all(headScopes.map(read))).flat());
    },

    /** An organization's head; undefined if it has no record. One read unit. */
    async getHead(scope: string): Promise<Head | undefined> {
      const item = await getItem(table, headKeyOf(scope));
      return item && HeadItem.parse(item);
    },

    /** The entries of an organization's records from an index on, in order. A read unit for about 12. */
    listRecords: (scope: string, from = 0): AsyncGenerator<string, void, void> =>
      entriesBetween(scope, recordKey(from), "record#~"),

    /**
     * The sealed hours of an organization in a span, oldest first.
     * @param from the first hour, epoch ms. @param to the last hour.
     */
    async listHours(scope: string, from: number, to: number): Promise<StoredHour[]> {
      const hours: (StoredHour & { late: string[][] })[] = [];
      for await (const page of pagesBetween(scope, hourKey(from), lastKeyOf(to)))
        for (const item of page) {
          const key = String(item.key);
          const hour = hourOfKey(key);
          // The lists of an hour follow its item, one for each version that adds late events.
          if (key === hourKey(hour)) {
            const { key: _, ...sealed } = HourItem.parse(item);
            hours.push({ hour, ...sealed, late: Array.from({ length: sealed.version }, () => []) });
          } else hours.at(-1)?.late.splice(versionOfKey(key) - 1, 1, LateItem.parse(item).ids);
        }
      return hours;
    },

    /** A sealed hour of an organization; undefined if no version is sealed. */
    async getHour(scope: string, hour: number): Promise<StoredHour | undefined> {
      return (await this.listHours(scope, hour, hour))[0];
    },

    /**
     * Stores a version of an hour with its record and its head, or nothing. Two write units per KB of each.
     * @returns false if the hour or the head is no longer as it was read.
     */
    async putVersion({ scope, hour, late, record, head, previous }: NewVersion): Promise<boolean> {
      const { hour: start, ...sealed } = hour;
      const isNew = { condition: "attribute_not_exists(#key)" };
      const lateItem = { scope, key: lateKey(start, sealed.version), ids: late };
      const parts = [
        putPart(table, { scope, key: recordKey(head.size - 1), entry: record }, isNew),
        putPart(table, { scope, key: hourKey(start), ...sealed }, unchanged("version", previous.version)),
        ...(late.length === 0 ? [] : [putPart(table, lateItem, isNew)]),
        putPart(table, { ...headKeyOf(scope), ...head }, unchanged("size", previous.head?.size)),
      ];
      return (await transact(table, parts)).size === 0;
    },
  };
};
