/** Which events a question is about: everything given must hold. */
/**
 * Which events stand in which index of the event table, and which index serves a selection best. Pure; the table
 * itself is in infra/constructs/resources/tables.ts, its keys and costs in docs/security-events.md.
 */
/** Security events as items of the event table: keys, sparse index keys, expiry, and metadata as JSON text. */

import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import { EVENTS_BY_CATEGORY, EVENTS_BY_RISK, EVENTS_BY_TYPE, EVENTS_BY_USER, OPEN_EVENTS } from "../terms/indexes.ts";
import { organizationKey, partKey, unownedKey } from "../terms/keys.ts";
import { isAtLeast, type RiskLevel } from "../terms/risk-levels.ts";
import { type Category, type EventType, SecurityEvent } from "./security-event.ts";

export type Selection = {
  organizationId: string;
  /** Epoch ms, inclusive. */
  since: number;
  eventType?: string | undefined;
  category?: Category | undefined;
  riskLevel?: RiskLevel | undefined;
  userId?: string | undefined;
  processed?: boolean | undefined;
};

/**
 * Types that most events have, those of every sync run and webhook among them: an index of them would be a copy of the
 * table, which serves them as well.
 */
const BULK_TYPES: readonly string[] = [
  "PROVIDER_REQUEST",
  "DATA_READ",
  "PROVIDER_SYNC_STARTED",
  "PROVIDER_SYNC_COMPLETED",
  "WEBHOOK_RECEIVED",
] satisfies EventType[];
/** The categories that those types do not have. */
const RARE_CATEGORIES: readonly Category[] = ["authentication", "authorization", "system", "compliance"];

type EventIndex =
  | typeof EVENTS_BY_USER
  | typeof EVENTS_BY_RISK
  | typeof EVENTS_BY_TYPE
  | typeof EVENTS_BY_CATEGORY
  | typeof OPEN_EVENTS;

type IndexKeys = { [Key in EventIndex["partitionKey"]]?: string };

type Indexed = Pick<SecurityEvent, "organizationId" | "userId" | "eventType" | "category" | "riskLevel" | "processed">;

/** The index keys of an event. Strangers' events have none: nobody may ask for them. */
export const indexKeysOf = (event: Indexed): IndexKeys => {
  if (event.organizationId === undefined) return {};
  const scope = organizationKey(event.organizationId);
  const isAboveLow = isAtLeast(event.riskLevel, "MEDIUM");
  return {
    ...(event.userId !== undefined && { userKey: partKey(scope, event.userId) }),
    ...(isAboveLow && { riskKey: partKey(scope, event.riskLevel) }),
    ...(!BULK_TYPES.includes(event.eventType) && { typeKey: partKey(scope, event.eventType) }),
    ...(RARE_CATEGORIES.includes(event.category) && { categoryKey: partKey(scope, event.category) }),
    ...(isAboveLow && !event.processed && { openKey: scope }),
  };
};

export type FilterName = "eventType" | "category" | "riskLevel" | "userId" | "processed";

/** One partition to read, newest first, and what is left to filter. */
export type ReadPlan = {
  index: EventIndex | undefined;
  /** The partition of the table that the events lie in. */
  scope: string;
  keyName: string;
  keyValue: string;
  /** Filters that the store applies while it reads. */
  filters: FilterName[];
  /** Filters on what the index does not hold, applied to the whole events. */
  lateFilters: FilterName[];
  /** Whether the index holds whole events; else each must be fetched from the table. */
  isWhole: boolean;
};

const FILTERS: readonly FilterName[] = ["eventType", "category", "riskLevel", "userId", "processed"];
/** Not in the indexes that are not whole: one names a user by its key, and marking must not cost an index write. */
const NOT_PROJECTED: readonly FilterName[] = ["userId", "processed"];

/** From the most selective index to the least, with the filter that it answers by itself. */
const choose = (
  selection: Selection,
  scope: string,
): Pick<ReadPlan, "index" | "keyValue"> & { answered: FilterName[] } => {
  const { userId, processed, riskLevel, eventType, category } = selection;
  const isAboveLow = riskLevel !== undefined && isAtLeast(riskLevel, "MEDIUM");
  if (userId !== undefined) return { index: EVENTS_BY_USER, keyValue: partKey(scope, userId), answered: ["userId"] };
  if (processed === false && isAboveLow) return { index: OPEN_EVENTS, keyValue: scope, answered: ["processed"] };
  if (riskLevel === "HIGH" || riskLevel === "CRITICAL") {
    return { index: EVENTS_BY_RISK, keyValue: partKey(scope, riskLevel), answered: ["riskLevel"] };
  }
  if (eventType !== undefined && !BULK_TYPES.includes(eventType)) {
    return { index: EVENTS_BY_TYPE, keyValue: partKey(scope, eventType), answered: ["eventType"] };
  }
  if (category !== undefined && RARE_CATEGORIES.includes(category)) {
    return { index: EVENTS_BY_CATEGORY, keyValue: partKey(scope, category), answered: ["category"] };
  }
  if (isAboveLow) return { index: EVENTS_BY_RISK, keyValue: partKey(scope, riskLevel), answered: ["riskLevel"] };
  return { index: undefined, keyValue: scope, answered: [] };
};

/** How to read a selection. */
export const planRead = (selection: Selection): ReadPlan => {
  const scope = organizationKey(selection.organizationId);
  const { index, keyValue, answered } = choose(selection, scope);
  const left = FILTERS.filter((name) => selection[name] !== undefined && !answered.includes(name));
  const isWhole = index === undefined || index.holds === "items";
  return {
    index,
    scope,
    keyName: index?.partitionKey ?? "scope",
    keyValue,
    filters: isWhole ? left : left.filter((name) => !NOT_PROJECTED.includes(name)),
    lateFilters: isWhole ? [] : left.filter((name) => NOT_PROJECTED.includes(name)),
    isWhole,
  };
};

/** How to read the events of a selection of one high level. */
export const planHighRiskRead = (selection: Selection, level: "HIGH" | "CRITICAL"): ReadPlan => {
  const scope = organizationKey(selection.organizationId);
  return {
    index: EVENTS_BY_RISK,
    scope,
    keyName: EVENTS_BY_RISK.partitionKey,
    keyValue: partKey(scope, level),
    filters: FILTERS.filter((name) => name !== "riskLevel" && selection[name] !== undefined),
    lateFilters: [],
    isWhole: true,
  };
};

/** The partition of an event. */
export const scopeOf = ({
  organizationId,
  ipAddress,
  id,
}: Pick<SecurityEvent, "organizationId" | "ipAddress" | "id">) =>
  organizationId === undefined ? unownedKey(ipAddress ?? id) : organizationKey(organizationId);

const Metadata = z.object({ durationMs: z.optional(z.number()) });

/**
 * The item of an event. `ms` repeats metadata.durationMs where an index can hold it.
 * @param ttl epoch seconds.
 */
export const toItem = (event: SecurityEvent, ttl: number): Record<string, unknown> => {
  const { metadata, ...fields } = event;
  return {
    ...fields,
    ...(metadata !== undefined && {
      metadata: encodeJson(metadata),
      ms: Metadata.safeParse(metadata).data?.durationMs,
    }),
    ...indexKeysOf(event),
    scope: scopeOf(event),
    ttl,
  };
};

const Item = z.extend(SecurityEvent, { metadata: z.optional(z.string()) });

/** @throws ZodError where an item is none that toItem made. */
export const fromItem = (item: unknown): SecurityEvent => {
  const { metadata, ...fields } = Item.parse(item);
  return metadata === undefined ? fields : { ...fields, metadata: JSON.parse(metadata) };
};
