import { getItem, putItem, type Table, unchanged, updateItem } from "../runtime/table.ts";
import { queryOnce } from "../runtime/table-query.ts";
import { putPart, transact, updatePart } from "../runtime/table-transaction.ts";
import { dayName, expiryOf } from "../terms/hours.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import { type DrillDelivery, MAX_DRILLS_PER_DAY } from "./drill.ts";
import {
  CurrentDrill,
  currentKey,
  DRILL_PREFIX,
  type DrillOrigin,
  drillKey,
  MONTHLY_KEY,
  Monthly,
  openDrills,
  parseDrill,
  type StoredDrill,
} from "./drill-item.ts";

/** A drill of an organization. */
export type DrillRef = { organizationId: string; id: string };

/** A drill to store. `startedAt`: epoch ms. */
export type NewDrill = { id: string; startedAt: number; origin: DrillOrigin | undefined };

/** What a step of a drill adds. */
export type DrillStep = Partial<
  Pick<StoredDrill, "recordedAt" | "judgedAt" | "destinationIds" | "alertedAt" | "alertId">
>;

export type DrillEnd = {
  status: "succeeded" | "failed";
  endedAt: number;
  deliveries: readonly DrillDelivery[];
};

const isExpired = ({ ttl }: { ttl: number }, now: number): boolean => ttl * 1_000 <= now;

export type DrillStore = ReturnType<typeof createDrillStore>;

/**
 * The drills of organizations; keys in drill-item.ts. Times are epoch ms. All calls throw DomainError `store_unavailable`.
 * @param options.newToken a unique text.
 */
export const createDrillStore = (
  table: Table<"drills">,
  { retentionDays, newToken }: { retentionDays: number; newToken: () => string },
) => ({
  /** Reads strongly; undefined if there is no such drill, or no longer. A read unit. */
  async find(organizationId: string, id: string, now: number): Promise<StoredDrill | undefined> {
    const item = await getItem(table, drillKey(organizationId, id));
    const stored = item && parseDrill(item);
    return stored === undefined || isExpired(stored, now) ? undefined : stored;
  },

  /** The drill that was started last, and the drills of its day. A read unit. */
  async current(organizationId: string): Promise<CurrentDrill | undefined> {
    const item = await getItem(table, currentKey(organizationId));
    return item && CurrentDrill.parse(item);
  },

  /** The latest drill; undefined if there is none. Half a read unit. @param before drills that started earlier, epoch ms. */
  async latest(organizationId: string, before: string, now: number): Promise<StoredDrill | undefined> {
    const query = {
      where: "#scope = :scope AND #key BETWEEN :first AND :before",
      values: { scope: organizationKey(organizationId), first: DRILL_PREFIX, before: DRILL_PREFIX + before },
      isDescending: true,
    };
    const [item] = (await queryOnce(table, query, { limit: 1 })).items;
    const stored = item && parseDrill(item);
    return stored === undefined || isExpired(stored, now) ? undefined : stored;
  },

  /**
   * Stores a drill if `previous` is still the last one, and the day has a place left. Eight write units.
   * @returns `changed` if another drill was started since `previous` was read; `exists` if an earlier attempt has stored it.
   */
  async create(
    organizationId: string,
    { id, startedAt, origin }: NewDrill,
    previous: CurrentDrill | undefined,
  ): Promise<"created" | "exists" | "changed" | "too_many"> {
    const day = dayName(startedAt);
    const count = previous?.day === day ? previous.count + 1 : 1;
    if (count > MAX_DRILLS_PER_DAY) return "too_many";
    const ttl = expiryOf(startedAt, retentionDays);
    const item = {
      ...drillKey(organizationId, id),
      status: "running",
      startedAt,
      ...(origin && { origin }),
      openShard: openDrills.shardOf(organizationKey(organizationId)),
      ttl,
    };
    const failed = await transact(table, [
      putPart(table, item, { condition: "attribute_not_exists(#key)" }),
      updatePart(table, currentKey(organizationId), {
        set: { id, day, count, version: newToken(), ttl },
        ...unchanged("version", previous?.version),
      }),
    ]);
    if (failed.size === 0) return "created";
    return failed.has(0) ? "exists" : "changed";
  },

  /** Removes a drill's origin after its event is recorded. A write unit. */
  async forgetOrigin(organizationId: string, id: string): Promise<void> {
    await updateItem(table, drillKey(organizationId, id), {
      remove: ["origin"],
      condition: "attribute_exists(#origin)",
    });
  },

  /**
   * Notes a step of a running drill; what is noted already stays. A write unit.
   * @returns the drill after it; undefined if it has ended.
   */
  async note(organizationId: string, id: string, step: DrillStep): Promise<StoredDrill | undefined> {
    const { written, item } = await updateItem(table, drillKey(organizationId, id), {
      setOnce: step,
      condition: "#status = :running",
      values: { running: "running" },
      returns: "after",
    });
    return written ? parseDrill(item) : undefined;
  },

  /** Ends a running drill; one that has ended stays as it is. Two write units. @returns the drill after it, if it is stored. */
  async end(organizationId: string, id: string, end: DrillEnd): Promise<StoredDrill | undefined> {
    const { item } = await updateItem(table, drillKey(organizationId, id), {
      set: end,
      remove: ["openShard"],
      condition: "#status = :running",
      values: { running: "running" },
      returns: "after",
    });
    return item === undefined || item.status === undefined ? undefined : parseDrill(item);
  },

  /** The drills that have not ended; may lag by a second. Half a read unit per shard and 4 KB. */
  async *listOpen(): AsyncGenerator<DrillRef, void, void> {
    for await (const { scope, key } of readIndex(table, openDrills)) {
      yield { organizationId: organizationIdOf(String(scope)), id: String(key).slice(DRILL_PREFIX.length) };
    }
  },

  /** The last occurrence for which all monthly drills were started; 0 if there is none. A read unit. */
  async monthlyThrough(): Promise<number> {
    const item = await getItem(table, MONTHLY_KEY);
    return item === undefined ? 0 : Monthly.parse(item).through;
  },

  /** Notes that all monthly drills of an occurrence were started. A write unit. */
  async noteMonthly(through: number): Promise<void> {
    await putItem(table, { ...MONTHLY_KEY, through });
  },
});
