import * as z from "zod/mini";
import type { RecordType } from "../records/record.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { getItem, type Table, updateItem } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryPage } from "../runtime/table-query.ts";
import { organizationIdOf } from "../terms/keys.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import { typesAfterRefusal } from "./optional-types.ts";
import {
  type ActiveRun,
  activeIndex,
  parseState,
  RUN_ATTRIBUTES,
  RUN_PREFIX,
  RUNS_END,
  runKey,
  type SyncState,
  stateKey,
  toSyncRun,
} from "./sync-item.ts";
import { SyncRun } from "./sync-run.ts";

/** What the hourly search for lost runs reads of an organization's state; see sync-item.ts. */
const Status = z.object({
  scope: z.string(),
  run: z.optional(z.object({ id: z.string(), startedAt: z.number() })),
  leaseUntil: z.optional(z.number()),
  slot: z.optional(z.number()),
  scheduledFrom: z.optional(z.number()),
  wantedSlot: z.optional(z.number()),
  activeShard: z.optional(z.string()),
});
/** `isIndexed`: the run is in the index byActive. Times are epoch ms. */
export type RunStatus = Omit<z.output<typeof Status>, "scope" | "activeShard"> & { isIndexed: boolean };

const STATUS_ATTRIBUTES = [
  "scope",
  "run.id",
  "run.startedAt",
  "leaseUntil",
  "slot",
  "scheduledFrom",
  "wantedSlot",
  "activeShard",
];

const Expiring = z.object({ ttl: z.number() });
const Entry = z.object({ scope: z.string() });

/** The state of an organization's syncing, read strongly: one read unit per 4 KB. @throws DomainError `store_unavailable`. */
export const readSyncState = async (table: Table<"syncRuns">, organizationId: string): Promise<SyncState> =>
  parseState(await getItem(table, stateKey(organizationId)));

/** No run can start. `state`: the organization's, in which another run is under way. */
export class RunUnderWayError extends DomainError {
  readonly state: SyncState;

  constructor(state: SyncState) {
    super("sync_running", "A sync run of the organization is under way.");
    this.name = "RunUnderWayError";
    this.state = state;
  }
}

export type SyncRunStore = ReturnType<typeof createSyncRunStore>;

/**
 * The sync runs of each organization, as clients start and list them. Leases are in sync-lease-store.ts, ends in
 * sync-end-store.ts, items in sync-item.ts. Reads are strong. All calls throw DomainError `store_unavailable`.
 */
export const createSyncRunStore = (table: Table<"syncRuns">) => {
  const readState = (organizationId: string) => readSyncState(table, organizationId);

  const queryRuns = (organizationId: string, limit: number, after: string | undefined) => {
    const { scope, key } = runKey(organizationId, after ?? "");
    const query = {
      where: "#scope = :scope AND #key BETWEEN :first AND :last",
      values: { scope, first: RUN_PREFIX, last: after === undefined ? RUNS_END : key },
      after: after === undefined ? undefined : { scope, key },
      isDescending: true,
      isConsistent: true,
    };
    return queryPage(table, query, limit);
  };

  return {
    /** The state of an organization's syncing: one read unit per 4 KB. */
    readState,

    /**
     * Where the runs of organizations stand; those without any state are left out. May lag by a second. Half a read unit
     * per 4 KB of each state.
     */
    async readStatuses(organizationIds: readonly string[]): Promise<Map<string, RunStatus>> {
      const { items } = await getItems(table, organizationIds.map(stateKey), { attributes: STATUS_ATTRIBUTES });
      return new Map(
        items.map((item) => {
          const { scope, activeShard, ...status } = Status.parse(item);
          return [organizationIdOf(scope), { ...status, isIndexed: activeShard !== undefined }];
        }),
      );
    },

    /** A run that has ended; undefined if there is none. One read unit per 4 KB. */
    async findEnded(organizationId: string, runId: string): Promise<SyncRun | undefined> {
      const item = await getItem(table, runKey(organizationId, runId));
      return item && SyncRun.parse(item);
    },

    /** A run, under way or ended; undefined if there is none, or no longer. Two read units. @param now epoch ms. */
    async find(organizationId: string, runId: string, now: number): Promise<SyncRun | undefined> {
      // In this order: a run that ends between the two reads is then in the second.
      const { run } = await readState(organizationId);
      if (run?.id === runId) return toSyncRun(run);
      const item = await getItem(table, runKey(organizationId, runId));
      return item !== undefined && Expiring.parse(item).ttl * 1_000 > now ? SyncRun.parse(item) : undefined;
    },

    /**
     * Starts a run without a worker: two write units. A repetition with the same run changes nothing.
     * @throws RunUnderWayError while another run is under way, even if that has no worker.
     */
    async start(organizationId: string, run: ActiveRun): Promise<void> {
      const { written, item } = await updateItem(table, stateKey(organizationId), {
        set: {
          run,
          [activeIndex.partitionKey]: activeIndex.shardOf(stateKey(organizationId).scope),
          ...(run.trigger === "connection" && { scheduledFrom: run.startedAt }),
        },
        condition: "attribute_not_exists(#run)",
      });
      if (written) return;
      // As it was when the write was refused: by now, the run that was under way may have ended.
      const state = parseState(item);
      // The run under way may be this one: the answer was lost, or the same request was made twice at once.
      if (state.run?.id !== run.id) throw new RunUnderWayError(state);
    },

    /**
     * Withdraws a run that no worker has taken yet; up to two write units.
     * @returns whether the run is gone.
     */
    async withdraw(organizationId: string, runId: string): Promise<boolean> {
      const { written } = await updateItem(table, stateKey(organizationId), {
        remove: RUN_ATTRIBUTES,
        condition: "#run.#id = :id AND attribute_not_exists(#leaseUntil)",
        values: { id: runId },
      });
      return written || (await readState(organizationId)).run?.id !== runId;
    },

    /**
     * Notes that a single object of an optional type was refused, at a time (epoch ms), while no run read the type's list:
     * a read unit and a write unit per KB of the state. Without a state, nothing is noted.
     */
    async noteRefused(organizationId: string, type: RecordType, at: number): Promise<void> {
      await updateItem(table, stateKey(organizationId), {
        set: typesAfterRefusal(type, at, await readState(organizationId)),
        condition: "attribute_exists(#key)",
      });
    },

    /** The organizations with a run in the index, shard by shard. May lag by a second. Half a read unit per shard and 4 KB. */
    async *listActive(): AsyncGenerator<string, void, void> {
      for await (const item of readIndex(table, activeIndex)) yield organizationIdOf(Entry.parse(item).scope);
    },

    /**
     * A page of an organization's runs, newest first: the one under way, then those that have ended. One read unit per
     * 4 KB. A run counts as under way until everything that ends it is done.
     * @param page.now epoch ms; runs that have expired by then are left out.
     */
    async list(
      organizationId: string,
      { limit, after, now }: { limit: number; after: { id: string } | undefined; now: number },
    ): Promise<{ items: SyncRun[]; next: { id: string } | undefined }> {
      // Read the state first: a run that ends between the two reads is then in both, and not in neither.
      const { run } = await readState(organizationId);
      const active = after === undefined && run !== undefined ? [toSyncRun(run)] : [];
      // After the run under way comes the first of the ended runs.
      const position = after?.id === run?.id ? undefined : after?.id;
      const { items, hasMore } = await queryRuns(organizationId, limit + 1 - active.length, position);
      const kept = items.filter((item) => Expiring.parse(item).ttl * 1_000 > now).map((item) => SyncRun.parse(item));
      const runs = [...active, ...kept.filter(({ id }) => id !== run?.id)];
      const page = runs.slice(0, limit);
      const last = page.at(-1);
      // Runs expire in their order, so nothing follows the first expired one.
      const isMore = runs.length > limit || (hasMore && kept.length === items.length);
      return { items: page, next: isMore && last !== undefined ? { id: last.id } : undefined };
    },
  };
};
