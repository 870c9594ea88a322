/**
 * What is sealed, as items of the evidence table: keys, schemas and pure rules. Start here. The table has the deployment's
 * log (scope `log`), the heads of all organizations (scopes `heads#0` to `heads#7`) and each organization's records and
 * hours (scope `org#…`). Nothing in it expires, and none of it is personal. docs/evidence.md, "How hours are sealed".
 */
import * as z from "zod/mini";
import { rootOfFrontier } from "../evidence/merkle-tree.ts";
import { encodeHash, type LogHead } from "../evidence/sealed-log.ts";
import { HOUR_MS, hourName, timeOfName } from "../terms/hours.ts";
import { shardOf } from "../terms/keys.ts";

export const LOG_SCOPE = "log";
export const STATE_KEY = "state";
export const LEASE_KEY = "lease";

const DIGITS = 12;
/** A number as a part of a key, so that keys sort by it. */
const numbered = (number: number): string => String(number).padStart(DIGITS, "0");

/** @param index of a leaf of the deployment's log, from 0. */
export const leafKey = (index: number): string => `leaf#${numbered(index)}`;
export const SLOTS_PREFIX = "slots#";
/** The hashes of all slots in the step whose checkpoint has a size. @param chunk from 0. */
export const slotsKey = (size: number, chunk: number): string => `${SLOTS_PREFIX}${numbered(size)}#${numbered(chunk)}`;
/** Not lower than any key of slots of the size. */
export const lastSlotsKey = (size: number): string => `${SLOTS_PREFIX}${numbered(size)}#~`;

const HEAD_SHARDS = 8;
export const headScopes: readonly string[] = Array.from({ length: HEAD_SHARDS }, (_, shard) => `heads#${shard}`);
/** @param scope of an organization (terms/keys.ts). */
export const headKeyOf = (scope: string) => ({ scope: `heads#${shardOf(scope, HEAD_SHARDS)}`, key: scope });

/** @param index of a record of an organization's log, from 0. */
export const recordKey = (index: number): string => `record#${numbered(index)}`;
export const hourKey = (hour: number): string => `hour#${hourName(hour)}`;
/** The late events of a version of an hour; they sort after the hour's item. */
export const lateKey = (hour: number, version: number): string => `${hourKey(hour)}#${numbered(version)}`;
/** Not lower than any key of the hour. */
export const lastKeyOf = (hour: number): string => `${hourKey(hour)}#~`;

const binary = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** A frontier of evidence/merkle-tree.ts. */
const frontier = { size: z.number(), subtrees: z.array(binary) };

/**
 * The state of the deployment's log. `start`: its first hour, epoch ms. `size`, `subtrees`: of its leaves. `origin`: of
 * its checkpoints, fixed at the first step. `secret`: for the hashes of free slots. `slots`: their number. `plan`: the step
 * that is under way; `to` is the index of its last leaf; once it `isFull`, it takes no further record.
 */
export const LogStateItem = z.object({
  start: z.number(),
  ...frontier,
  origin: z.string(),
  secret: binary,
  slots: z.number(),
  plan: z.optional(z.object({ to: z.number(), isFull: z.boolean() })),
  /** Changes with every write. */
  token: z.string(),
});
export type LogState = z.output<typeof LogStateItem>;

/**
 * The state of an organization's log of records. `slot`: its place in the tree of each step, for ever. `log`: its 16
 * random bytes. `step`: of its newest record. `before`: its state before the records of that step; undefined if it had none.
 */
export const HeadItem = z.object({
  slot: z.number(),
  log: binary,
  ...frontier,
  step: z.number(),
  before: z.optional(z.object({ size: z.number(), root: binary })),
});
export type Head = z.output<typeof HeadItem>;

/**
 * An hour's newest version; the counts and roots are those of its record. `step`: of that record. `expiresAt`: when the
 * tables lose the first of its events, epoch ms; another retention does not change it. Older versions stored none.
 */
export const HourItem = z.object({
  key: z.string(),
  version: z.number(),
  count: z.number(),
  root: z.string(),
  erased: z.number(),
  erasedRoot: z.string(),
  step: z.number(),
  expiresAt: z.optional(z.number()),
});

export const LateItem = z.object({ ids: z.array(z.string()) });

/** The start of the hour of a key that hourKey or lateKey made, epoch ms. */
export const hourOfKey = (key: string): number => timeOfName(key.slice("hour#".length).split("#", 1)[0] ?? "");

/** The head of an organization in a step; undefined if it had no records yet, so that its slot was free. */
export const headIn = ({ before, ...head }: Head, step: number, hour: number): LogHead | undefined => {
  const log = encodeHash(head.log);
  if (head.step <= step) return { hour, log, root: encodeHash(rootOfFrontier(head)), size: head.size };
  return before && { hour, log, root: encodeHash(before.root), size: before.size };
};

/** The hour of a leaf of the log, epoch ms. */
export const hourOfLeaf = ({ start }: Pick<LogState, "start">, index: number): number => start + index * HOUR_MS;
/** The index of an hour's leaf. */
export const leafOfHour = ({ start }: Pick<LogState, "start">, hour: number): number => (hour - start) / HOUR_MS;
