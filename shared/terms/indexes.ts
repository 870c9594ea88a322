/**
 * The secondary indexes of all tables. Stores query them, and the infrastructure creates them
 * (infra/constructs/resources/tables.ts). An item without the partition key is not in the index.
 */

/** `holds`: the attributes besides the keys; "keys": no other, "items": all. Keys are texts unless they are times. */
export type TableIndex = {
  name: string;
  partitionKey: string;
  sortKey?: string;
  isSortedByTime?: boolean;
  holds: "keys" | "items" | readonly string[];
};

export type SortedIndex = TableIndex & { sortKey: string };

/** The attributes that filter and count events; they never change. */
const COUNTED = ["riskLevel", "eventType", "category", "success", "ms", "ttl"] as const;

export const EVENTS_BY_USER = { name: "byUser", partitionKey: "userKey", sortKey: "id", holds: COUNTED } as const;
export const EVENTS_BY_TYPE = { name: "byType", partitionKey: "typeKey", sortKey: "id", holds: COUNTED } as const;
export const EVENTS_BY_CATEGORY = {
  name: "byCategory",
  partitionKey: "categoryKey",
  sortKey: "id",
  holds: COUNTED,
} as const;
export const EVENTS_BY_RISK = { name: "byRisk", partitionKey: "riskKey", sortKey: "id", holds: "items" } as const;
export const OPEN_EVENTS = { name: "byOpen", partitionKey: "openKey", sortKey: "id", holds: "items" } as const;

export const OPEN_HOURS = {
  name: "byOpenHour",
  partitionKey: "openShard",
  sortKey: "period",
  holds: ["token", "markedAt"],
} as const;

export const ALERTS_BY_STATUS = {
  name: "byStatus",
  partitionKey: "statusKey",
  sortKey: "listKey",
  holds: "items",
} as const;
export const ALERT_OUTBOX = {
  name: "byOutbox",
  partitionKey: "outboxShard",
  sortKey: "outboxAt",
  isSortedByTime: true,
  holds: "keys",
} as const;

/** Contains the time until which a circuit is open. */
export const CIRCUITS_NOT_CLOSED = { name: "notClosed", partitionKey: "sh", holds: ["ou"] } as const;

export const CONNECTED_ORGANIZATIONS = {
  name: "byConnected",
  partitionKey: "connectedShard",
  sortKey: "id",
  holds: "keys",
} as const;

export const ACTIVE_RUNS = { name: "byActive", partitionKey: "activeShard", sortKey: "scope", holds: "keys" } as const;

/** Contains only attributes that change with the record, so a sync that finds no change writes no index entry. */
const LISTED = ["createdAt", "updatedAt", "deleted", "fields"] as const;

export const RECORDS_BY_CREATION = {
  name: "byCreated",
  partitionKey: "listKey",
  sortKey: "createdKey",
  holds: LISTED,
} as const;
export const RECORDS_BY_CUSTOMER = {
  name: "byCustomer",
  partitionKey: "customerKey",
  sortKey: "createdKey",
  holds: LISTED,
} as const;

export const PENDING_WEBHOOKS = {
  name: "byPending",
  partitionKey: "pendingShard",
  sortKey: "receivedAt",
  isSortedByTime: true,
  holds: "keys",
} as const;

/**
 * Both keys are attributes that each event has had from the beginning, so events that are older than the index are in it.
 * The outcome changes once. Without it, a filter would have to read the events.
 */
export const WEBHOOKS_BY_RECEIPT = {
  name: "byReceipt",
  partitionKey: "scope",
  sortKey: "receivedAt",
  isSortedByTime: true,
  holds: ["outcome"],
} as const;

export const UNJUDGED_HOURS = {
  name: "byUnjudged",
  partitionKey: "unjudgedShard",
  sortKey: "key",
  holds: "keys",
} as const;

export const DUE_REPORTS = { name: "byDue", partitionKey: "dueShard", sortKey: "key", holds: "keys" } as const;

export const OPEN_EXPORTS = { name: "byOpen", partitionKey: "openShard", sortKey: "key", holds: "keys" } as const;

export const OPEN_ERASURES = { name: "byOpen", partitionKey: "openShard", sortKey: "key", holds: "keys" } as const;
