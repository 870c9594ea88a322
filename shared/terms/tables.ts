/**
 * Every DynamoDB table of the service and its indexes, stated once. The stack creates the tables, functions get their
 * rights and names (`tableVariable`), stores and tests open them by name, an erasure must say where each one holds
 * personal data, and docs/data-model.md is compared with this file. All tables are on demand and have point-in-time
 * recovery; none has a stream.
 */

/** Keys are texts unless the type says number. */
export type TableSpec = {
  partitionKey: string;
  sortKey?: string;
  sortKeyType?: "number";
  /** Items expire at their attribute `ttl`, in epoch seconds. */
  expires?: true;
  indexes?: readonly TableIndex[];
};

/**
 * A secondary index; an item without the index's partition key is not in it. `holds`: the attributes in addition to the
 * keys; "keys": no other, "items": all. Keys are texts unless they are times.
 */
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

/**
 * Customers by the beginning of their name, and of their e-mail address, in lower case. One deployment creates one index of
 * a table, so an upgrade takes two (docs/upgrade.md).
 */
export const CUSTOMERS_BY_NAME = { name: "byName", partitionKey: "scope", sortKey: "nameKey", holds: "keys" } as const;
export const CUSTOMERS_BY_EMAIL = {
  name: "byEmail",
  partitionKey: "scope",
  sortKey: "emailKey",
  holds: "keys",
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

/** The own rules of detection that judge hours without events; read whole. */
export const SILENCE_RULES = {
  name: "bySilence",
  partitionKey: "silenceShard",
  sortKey: "key",
  holds: ["windowMinutes"],
} as const;

export const DUE_MUTES = {
  name: "byDue",
  partitionKey: "dueShard",
  sortKey: "dueAt",
  isSortedByTime: true,
  holds: "keys",
} as const;

export const DUE_REPORTS = { name: "byDue", partitionKey: "dueShard", sortKey: "key", holds: "keys" } as const;

export const OPEN_EXPORTS = { name: "byOpen", partitionKey: "openShard", sortKey: "key", holds: "keys" } as const;

export const OPEN_PREVIEWS = { name: "byOpen", partitionKey: "openShard", sortKey: "key", holds: "keys" } as const;

/** The drills that have not ended. */
export const OPEN_DRILLS = { name: "byOpen", partitionKey: "openShard", sortKey: "key", holds: "keys" } as const;

/** The organizations whose settings ask for a monthly drill. */
export const MONTHLY_DRILLS = { name: "byDrill", partitionKey: "drillShard", sortKey: "id", holds: "keys" } as const;

export const OPEN_ERASURES = { name: "byOpen", partitionKey: "openShard", sortKey: "key", holds: "keys" } as const;

/** Every table. The order is that of the template. */
export const tables = {
  plants: { partitionKey: "scope", sortKey: "id", sortKeyType: "number" },
  securityEvents: {
    partitionKey: "scope",
    sortKey: "id",
    expires: true,
    indexes: [EVENTS_BY_USER, EVENTS_BY_TYPE, EVENTS_BY_CATEGORY, EVENTS_BY_RISK, OPEN_EVENTS],
  },
  securityRollups: { partitionKey: "scope", sortKey: "period", expires: true, indexes: [OPEN_HOURS] },
  circuits: { partitionKey: "id", indexes: [CIRCUITS_NOT_CLOSED] },
  connections: { partitionKey: "id", expires: true, indexes: [CONNECTED_ORGANIZATIONS] },
  settings: { partitionKey: "id", indexes: [MONTHLY_DRILLS] },
  syncRuns: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [ACTIVE_RUNS] },
  records: {
    partitionKey: "scope",
    sortKey: "key",
    indexes: [RECORDS_BY_CREATION, RECORDS_BY_CUSTOMER, CUSTOMERS_BY_NAME, CUSTOMERS_BY_EMAIL],
  },
  webhookEvents: {
    partitionKey: "scope",
    sortKey: "id",
    expires: true,
    indexes: [PENDING_WEBHOOKS, WEBHOOKS_BY_RECEIPT],
  },
  detection: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [UNJUDGED_HOURS, SILENCE_RULES] },
  reports: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [DUE_REPORTS] },
  erasures: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [OPEN_ERASURES] },
  notifications: { partitionKey: "scope", sortKey: "key", expires: true },
  exports: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [OPEN_EXPORTS] },
  idempotencyKeys: { partitionKey: "scope", sortKey: "key", expires: true },
  securityAlerts: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [ALERTS_BY_STATUS, ALERT_OUTBOX] },
  mutes: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [DUE_MUTES] },
  previews: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [OPEN_PREVIEWS] },
  evidence: { partitionKey: "scope", sortKey: "key" },
  drills: { partitionKey: "scope", sortKey: "key", expires: true, indexes: [OPEN_DRILLS] },
} as const satisfies Record<string, TableSpec>;

export type TableName = keyof typeof tables;

/** The key of an item of a table, such as `{ scope, key }`. */
export type TableKey<Name extends TableName> = KeyOfSpec<(typeof tables)[Name]>;

/** The tables whose items have the keys `scope` and `key`. */
export type ScopeKeyTable = {
  [Name in TableName]: TableKey<Name> extends { scope: string; key: string } ? Name : never;
}[TableName];

type KeyOfSpec<Spec> = Spec extends { partitionKey: infer Partition extends string }
  ? Readonly<Record<Partition, string>> & SortKeyOfSpec<Spec>
  : never;

type SortKeyOfSpec<Spec> = Spec extends { sortKey: infer Sort extends string }
  ? Readonly<Record<Sort, Spec extends { sortKeyType: "number" } ? bigint : string>>
  : unknown;

/** The environment variable that names the deployed table, such as `SYNC_RUNS_TABLE_NAME`. */
export type TableVariable<Name extends TableName = TableName> = `${UpperSnake<Name>}_TABLE_NAME`;

type UpperSnake<Camel extends string> = Camel extends `${infer First}${infer Rest}`
  ? `${First extends Uppercase<First> ? `_${First}` : Uppercase<First>}${UpperSnake<Rest>}`
  : "";

export const tableVariable = <Name extends TableName>(name: Name): TableVariable<Name> =>
  `${name.replace(/[A-Z]/g, "_$&").toUpperCase()}_TABLE_NAME` as TableVariable<Name>;
