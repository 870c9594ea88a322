/**
 * The items of the table SyncRuns: partition key `scope` (the organization's), sort key `key`:
 *
 * - `state`, one item, without expiry: `run` the run under way with its work (sync-work.ts) · the lease (shared/work/lease.ts);
 *   `takes` counts since the last checkpoint · `activeShard` of the index byActive, which resume-stalled-syncs reads ·
 *   `cursor` how far the feed was read · `lastSuccessAt` · `slot` (epoch ms) the schedule's last occurrence for which a run
 *   began · `scheduledFrom` (epoch ms) the time of the connection's first run: earlier occurrences need no run ·
 *   `wantedSlot` (epoch ms) the slot of a run that must replace a cancelled one · `readTypes` and `refusedTypes`: the
 *   optional types that were listed to their end, and those that the credentials may not read, each with the time of the
 *   run that tried last (epoch ms). All in one item, so that a quiet run costs three writes.
 * - `run#<id>` a run that has ended; `ttl`.
 * - `aside#<type>#<digest>` an object that is set aside (set-aside-store.ts); `ttl`.
 * - `page#<run>#<type>#<page>` the ids on a page of a list (page-id-store.ts); `ttl`.
 * - `activity` how far the activity of the account was read (activity-item.ts).
 * - Scope `#schedule`, key `occurrence`: the schedule's last occurrence (occurrence-store.ts).
 * - `reads#…` counts of provider reads; `rate` the time of the provider's next request (both of shared/provider/).
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { RecordType } from "../records/record.ts";
import { organizationKey } from "../terms/keys.ts";
import { Requester } from "../terms/requester.ts";
import { ACTIVE_RUNS } from "../terms/tables.ts";
import { LEASE_ATTRIBUTES } from "../work/lease.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { FeedCursor } from "./feed-cursor.ts";
import { SyncRun } from "./sync-run.ts";
import { SyncWork } from "./sync-work.ts";

/** A run under way. `askedBy`: who requested it, for its security events; `isKeyed`: with an Idempotency-Key. */
export const ActiveRun = z.extend(
  z.pick(SyncRun, { id: true, trigger: true, mode: true, startedAt: true, progress: true }),
  {
    askedBy: z.optional(Requester),
    isKeyed: z.optional(z.boolean()),
    work: SyncWork,
  },
);
export type ActiveRun = z.output<typeof ActiveRun>;

/** The state of an organization's syncing. Times in epoch ms. */
export const SyncState = z.object({
  run: z.optional(ActiveRun),
  leaseOwner: z.optional(z.string()),
  leaseUntil: z.optional(z.number()),
  takes: z.optional(z.number()),
  cursor: z.optional(FeedCursor),
  lastSuccessAt: z.optional(z.number()),
  slot: z.optional(z.number()),
  scheduledFrom: z.optional(z.number()),
  wantedSlot: z.optional(z.number()),
  readTypes: z.optional(z.array(RecordType)),
  refusedTypes: z.optional(z.partialRecord(RecordType, z.number())),
});
export type SyncState = z.output<typeof SyncState>;

export const parseState = (item: unknown): SyncState => (item === undefined ? {} : SyncState.parse(item));

export const stateKey = (organizationId: string) => ({ scope: organizationKey(organizationId), key: "state" });

export const RUN_PREFIX = "run#";

/** After the keys of all runs: `$` follows `#`. */
export const RUNS_END = "run$";

export const runKey = (organizationId: string, runId: string) => ({
  scope: organizationKey(organizationId),
  key: RUN_PREFIX + runId,
});

/** The runs under way that take longer than a page. `activeIndex.shardOf` is of the item's `scope`. */
export const activeIndex = defineShardedIndex(ACTIVE_RUNS, { count: 16, prefix: "active#" });

/** The attributes that closing a run removes from `state`. */
export const RUN_ATTRIBUTES = ["run", ...LEASE_ATTRIBUTES, activeIndex.partitionKey];

/** The run as clients see it. */
export const toSyncRun = ({
  id,
  trigger,
  mode,
  startedAt,
  progress,
  work: { healed, setAside, notRead },
}: ActiveRun): SyncRun => ({
  id,
  trigger,
  mode,
  status: "running",
  startedAt,
  progress,
  ...definedFields({ healed, setAside: setAside?.count, notRead }),
});
