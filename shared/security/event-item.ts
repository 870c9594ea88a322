/**
 * Security events as items of the event table, the sparse indexes that an event is in, and the index that serves a
 * selection best. Pure. The indexes are in terms/tables.ts, keys and costs in docs/security-events.md.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { encodeJson } from "../json/encode-json.ts";
import { organizationKey, partKey, unownedKey } from "../terms/keys.ts";
import { isAtLeast, type RiskLevel } from "../terms/risk-levels.ts";
import { EVENTS_BY_CATEGORY, EVENTS_BY_RISK, EVENTS_BY_TYPE, EVENTS_BY_USER, OPEN_EVENTS } from "../terms/tables.ts";
import { firstIdAt, LAST_ID, lastIdAt } from "./event-id.ts";
import { type Category, type EventType, SecurityEvent, type Source } from "./security-event.ts";

/** The key of an event's item. */
export type EventItemKey = { scope: string; id: string };

/** The partition of an event. */
export const scopeOf = ({
  organizationId,
  ipAddress,
  id,
}: Pick<SecurityEvent, "organizationId" | "ipAddress" | "id">) =>
  organizationId === undefined ? unownedKey(ipAddress ?? id) : organizationKey(organizationId);

/**
 * Types that most events have, such as those of every sync run and webhook. An index of them would be a copy of the
 * table; reading the table costs the same.
 */
const BULK_TYPES: readonly string[] = [
  "PROVIDER_REQUEST",
  "DATA_READ",
  "PROVIDER_SYNC_STARTED",
  "PROVIDER_SYNC_COMPLETED",
  "WEBHOOK_RECEIVED",
] satisfies EventType[];
/** The categories without bulk types. */
const RARE_CATEGORIES: readonly Category[] = ["authentication", "authorization", "system", "compliance"];

type EventIndex =
  | typeof EVENTS_BY_USER
  | typeof EVENTS_BY_RISK
  | typeof EVENTS_BY_TYPE
  | typeof EVENTS_BY_CATEGORY
  | typeof OPEN_EVENTS;

/** The index keys of an event. Events of no organization have none: no caller may list them. */
const indexKeysOf = ({
  organizationId,
  userId,
  eventType,
  category,
  riskLevel,
  processed,
}: SecurityEvent): { [Key in EventIndex["partitionKey"]]?: string | undefined } => {
  if (organizationId === undefined) return {};
  const scope = organizationKey(organizationId);
  const isAboveLow = isAtLeast(riskLevel, "MEDIUM");
  return {
    userKey: userId === undefined ? undefined : partKey(scope, userId),
    riskKey: isAboveLow ? partKey(scope, riskLevel) : undefined,
    typeKey: BULK_TYPES.includes(eventType) ? undefined : partKey(scope, eventType),
    categoryKey: RARE_CATEGORIES.includes(category) ? partKey(scope, category) : undefined,
    openKey: isAboveLow && !processed ? scope : undefined,
  };
};

const Metadata = z.object({ durationMs: z.optional(z.number()) });

/**
 * What sealing needs of an event and no answer has. `salt`: of its leaf, 16 random bytes; an erasure gives it another one.
 * `isLate`: the event was stored after its hour. `hash`: the leaf from before the event was emptied by the erasure
 * `erasure`.
 */
export type EventSeal = { salt: Uint8Array; isLate: boolean };
export type StoredSeal = {
  salt?: Uint8Array | undefined;
  isLate: boolean;
  hash?: Uint8Array | undefined;
  erasure?: string | undefined;
};

/** The numbers of a count of refusals, which are in its event's metadata. */
const FloodNumbers = z.looseObject({ failures: z.number(), users: z.number(), lastAt: z.optional(z.number()) });
/** `lastAt`: the last refusal, epoch ms; older versions stored none. */
export type FloodNumbers = { failures: number; users: number; lastAt?: number | undefined };

/** The parts of a count that grow, but for its number of refusals. `metadata`: JSON text; undefined: not known. */
export type StoredCount = { metadata: string | undefined; users: number };

/** @param event a count as it was recorded, or its item. */
export const storedCountOf = ({ metadata, users }: { metadata?: unknown; users?: unknown }): StoredCount => {
  if (typeof metadata === "string") return { metadata, users: Number(users ?? 0) };
  const attributes = metadataAttributes(metadata);
  return { metadata: String(attributes.metadata), users: Number(attributes.users ?? 0) };
};

/** The metadata as JSON text. The numbers of a count of refusals are attributes, because they grow. */
const metadataAttributes = (metadata: unknown): Record<string, unknown> => {
  const count = FloodNumbers.safeParse(metadata);
  if (!count.success) return { metadata: metadata === undefined ? undefined : encodeJson(metadata) };
  const { failures, users, lastAt, ...others } = count.data;
  return { metadata: encodeJson(others), failures, users, lastAt };
};

/** `ms` of a drill's events: indexes that hold no other mark of a drill have it. */
const DRILL_MS = Number.MIN_SAFE_INTEGER;

/** Whether the item, or an index's entry of it, is of a drill. Statistics, exports and reports leave such events out. */
export const isOfDrill = ({ drill, ms }: Readonly<Record<string, unknown>>): boolean =>
  drill === true || ms === DRILL_MS;

/**
 * The item of an event: metadata as JSON text, and `ms`, a copy of metadata.durationMs for the indexes.
 * @param ttl epoch seconds.
 * @param seal undefined for events that are never sealed.
 */
export const toItem = (event: SecurityEvent, ttl: number, seal?: EventSeal): EventItemKey & Record<string, unknown> => {
  const { metadata } = event;
  return {
    ...event,
    salt: seal?.salt,
    late: seal?.isLate === true ? true : undefined,
    ...metadataAttributes(metadata),
    ms: event.drill === true ? DRILL_MS : Metadata.safeParse(metadata).data?.durationMs,
    ...indexKeysOf(event),
    scope: scopeOf(event),
    ttl,
  };
};

const Item = z.extend(SecurityEvent, {
  metadata: z.optional(z.string()),
  failures: z.optional(z.number()),
  users: z.optional(z.number()),
  lastAt: z.optional(z.number()),
});

const SealItem = z.object({
  salt: z.optional(z.instanceof(Uint8Array)),
  late: z.optional(z.boolean()),
  hash: z.optional(z.instanceof(Uint8Array)),
  erasure: z.optional(z.string()),
});

/** @throws ZodError if the attributes have other types. */
export const sealOf = (item: unknown): StoredSeal => {
  const { late = false, ...seal } = SealItem.parse(item);
  return { ...seal, isLate: late };
};

/** @throws ZodError if toItem did not make the item. */
export const fromItem = (item: unknown): SecurityEvent => {
  const { metadata: text, failures, users, lastAt, ...fields } = Item.parse(item);
  const metadata = text === undefined ? undefined : JSON.parse(text);
  if (failures !== undefined)
    return { ...fields, metadata: { ...metadata, failures, users, ...definedFields({ lastAt }) } };
  return metadata === undefined ? fields : { ...fields, metadata };
};

/** The events that a query asks for: they match all given fields. */
export type Selection = {
  organizationId: string;
  /** Epoch ms, inclusive. */
  since: number;
  /** Epoch ms, exclusive, later than `since`. */
  until?: number | undefined;
  eventType?: string | undefined;
  category?: Category | undefined;
  riskLevel?: RiskLevel | undefined;
  userId?: string | undefined;
  processed?: boolean | undefined;
  success?: boolean | undefined;
  source?: Source | undefined;
  /** As the event has it. */
  ipAddress?: string | undefined;
};

const FILTERS = [
  "eventType",
  "category",
  "riskLevel",
  "userId",
  "processed",
  "success",
  "source",
  "ipAddress",
] as const satisfies (keyof Selection)[];
export type FilterName = (typeof FILTERS)[number];

/** The partition to read, newest event first, and the filters that its key does not answer. */
export type ReadPlan = {
  index: EventIndex | undefined;
  /** The events' partition in the table. */
  scope: string;
  keyName: string;
  keyValue: string;
  /** Filters that the store applies while it reads. */
  filters: FilterName[];
  /** Filters on fields that the index does not hold; applied to the whole events. */
  lateFilters: FilterName[];
  /** Whether the index holds whole events; otherwise each event is fetched from the table. */
  isWhole: boolean;
};

/** The ids of a selection's period, both inclusive. */
export const idsOf = ({ since, until }: Selection) => ({
  first: firstIdAt(since),
  last: until === undefined ? LAST_ID : lastIdAt(until - 1),
});

/** Fields that indexes without whole events do not hold: marking an event must not cost an index write. */
const NOT_PROJECTED: readonly FilterName[] = ["userId", "processed", "source", "ipAddress"];

const planOf = (selection: Selection, index: EventIndex | undefined, answered?: FilterName): ReadPlan => {
  const scope = organizationKey(selection.organizationId);
  const part = index === OPEN_EVENTS || answered === undefined ? undefined : selection[answered];
  const left = FILTERS.filter((name) => selection[name] !== undefined && name !== answered);
  const isWhole = index === undefined || index.holds === "items";
  return {
    index,
    scope,
    keyName: index?.partitionKey ?? "scope",
    keyValue: part === undefined ? scope : partKey(scope, String(part)),
    filters: isWhole ? left : left.filter((name) => !NOT_PROJECTED.includes(name)),
    lateFilters: isWhole ? [] : left.filter((name) => NOT_PROJECTED.includes(name)),
    isWhole,
  };
};

/** How to read a selection: from its most selective index. */
export const planRead = (selection: Selection): ReadPlan => {
  const { userId, processed, riskLevel, eventType, category } = selection;
  const isAboveLow = riskLevel !== undefined && isAtLeast(riskLevel, "MEDIUM");
  if (userId !== undefined) return planOf(selection, EVENTS_BY_USER, "userId");
  if (processed === false && isAboveLow) return planOf(selection, OPEN_EVENTS, "processed");
  if (riskLevel === "HIGH" || riskLevel === "CRITICAL") return planOf(selection, EVENTS_BY_RISK, "riskLevel");
  if (eventType !== undefined && !BULK_TYPES.includes(eventType)) return planOf(selection, EVENTS_BY_TYPE, "eventType");
  if (category !== undefined && RARE_CATEGORIES.includes(category))
    return planOf(selection, EVENTS_BY_CATEGORY, "category");
  if (isAboveLow) return planOf(selection, EVENTS_BY_RISK, "riskLevel");
  return planOf(selection, undefined);
};

/** How to read the events of a selection of one high level. */
export const planHighRiskRead = (selection: Selection, level: "HIGH" | "CRITICAL"): ReadPlan =>
  planOf({ ...selection, riskLevel: level }, EVENTS_BY_RISK, "riskLevel");
