/** How the event table is read: one partition of it or of an index, newest first, within a bound on what is read. */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { getItems } from "../runtime/get-items.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { organizationKey } from "../terms/keys.ts";
import { firstIdAt, timeOfEventId } from "./event-id.ts";
import {
  type FilterName,
  fromItem,
  planHighRiskRead,
  planRead,
  type ReadPlan,
  type Selection,
  toItem,
} from "./event-item.ts";
import type { SecurityEvent } from "./security-event.ts";

/** 4 MB, read eventually consistent: half a unit for 4 KB. */
export const READ_UNITS_PER_REQUEST = 512;
const MAX_STEP = 1_000;

type Item = Record<string, unknown>;

type Read = {
  selection: Selection;
  limit: number;
  /** The id after which (that is, before which in time) to go on. */
  after?: string | undefined;
  /** Epoch ms; what has expired by then is left out. */
  now: number;
  maxUnits?: number;
};

const conditionOf = (
  { keyName, keyValue, filters }: ReadPlan,
  { selection, now }: Pick<Read, "selection" | "now">,
) => ({
  KeyConditionExpression: "#key = :key AND id >= :since",
  FilterExpression: ["#ttl > :now", ...filters.map((name) => `#${name} = :${name}`)].join(" AND "),
  ExpressionAttributeNames: {
    "#key": keyName,
    "#ttl": "ttl",
    ...Object.fromEntries(filters.map((name) => [`#${name}`, name])),
  },
  ExpressionAttributeValues: {
    ":key": keyValue,
    ":since": firstIdAt(selection.since),
    ":now": Math.floor(now / 1000),
    ...Object.fromEntries(filters.map((name) => [`:${name}`, selection[name]])),
  },
});

const startAfter = ({ scope, keyName, keyValue }: ReadPlan, id: string) => ({ scope, id, [keyName]: keyValue });

const holds = (item: Item, selection: Selection, names: readonly FilterName[]) =>
  names.every((name) => item[name] === selection[name]);

/** The whole items of an index's entries, in their order; what has gone meanwhile is left out. */
const fetchWhole = async (client: DynamoDBDocumentClient, tableName: string, entries: readonly Item[]) => {
  const keys = entries.map(({ scope, id }) => ({ scope, id }));
  const { items, units } = await getItems(client, tableName, keys);
  const byId = new Map(items.map((item) => [item.id, item]));
  return { items: entries.map(({ id }) => byId.get(id)).filter((item) => item !== undefined), units };
};

/**
 * Reads pages by a plan. A step asks for as many items as are still wanted, and for twice as many each time that the
 * filters left too few: so a page costs what it shows and at most as much again.
 * @returns the items as stored, and the id to go on after if there may be more.
 */
export const createEventReader =
  (client: DynamoDBDocumentClient, tableName: string) =>
  async (
    plan: ReadPlan,
    { selection, limit, after, now, maxUnits = READ_UNITS_PER_REQUEST }: Read,
  ): Promise<{ items: Item[]; next: string | undefined }> => {
    const items: Item[] = [];
    let units = 0;
    let last = after;
    for (let step = limit + 1; ; step = Math.min(step * 2, MAX_STEP)) {
      const command = new QueryCommand({
        TableName: tableName,
        ...(plan.index !== undefined && { IndexName: plan.index.name }),
        ...conditionOf(plan, { selection, now }),
        ...(last !== undefined && { ExclusiveStartKey: startAfter(plan, last) }),
        Limit: step,
        ScanIndexForward: false,
        ReturnConsumedCapacity: "TOTAL",
      });
      const {
        Items = [],
        LastEvaluatedKey,
        ConsumedCapacity,
      } = await callStore((options) => client.send(command, options));
      units += ConsumedCapacity?.CapacityUnits ?? 0;
      const whole: { items: Item[]; units: number } = plan.isWhole
        ? { items: Items, units: 0 }
        : await fetchWhole(client, tableName, Items);
      units += whole.units;
      items.push(...whole.items.filter((item) => holds(item, selection, plan.lateFilters)));
      if (items.length > limit) return { items: items.slice(0, limit), next: String(items[limit - 1]?.id) };
      if (LastEvaluatedKey === undefined) return { items, next: undefined };
      last = String(LastEvaluatedKey.id);
      if (units >= maxUnits) return { items, next: last };
    }
  };

/** An event and its expiry in epoch seconds. */
export type StoredEvent = { event: SecurityEvent; ttl: number };

/** What became of each id that was to be marked; every id is in one of the lists. */
export type MarkResult = { processed: string[]; alreadyProcessed: string[]; notFound: string[] };

const BATCH_WRITE_MAX = 25;
const BATCH_ATTEMPTS = 4;
/** The high-risk events of a page may take this much of a request's reading. */
const HIGH_RISK_UNITS = READ_UNITS_PER_REQUEST / 4;
const MARKS_AT_ONCE = 10;

const newestFirst = (a: SecurityEvent, b: SecurityEvent) => (a.id < b.id ? 1 : -1);

export type SecurityEventStore = ReturnType<typeof createSecurityEventStore>;

/**
 * The security events of all organizations. Partition key `scope`, sort key `id`; sparse indexes as event-indexes.ts
 * says. All calls throw DomainError `store_unavailable` when the table does not answer.
 */
export const createSecurityEventStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const read = createEventReader(client, tableName);

  const put = async ({ event, ttl }: StoredEvent, deadlineMs?: number): Promise<void> => {
    const command = new PutCommand({
      TableName: tableName,
      Item: toItem(event, ttl),
      ConditionExpression: "attribute_not_exists(id)",
    });
    try {
      await callStore((options) => client.send(command, options), deadlineMs);
    } catch (error) {
      // The event is there: by an earlier record of the same id, or by our own first try whose answer was lost.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };

  const putBatch = async (batch: readonly StoredEvent[]): Promise<void> => {
    let left = batch.map(({ event, ttl }) => ({ PutRequest: { Item: toItem(event, ttl) } }));
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === BATCH_ATTEMPTS) throw new DomainError("store_unavailable", "The store left events unwritten.");
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const command = new BatchWriteCommand({ RequestItems: { [tableName]: left } });
      const { UnprocessedItems } = await callStore((options) => client.send(command, options));
      left = (UnprocessedItems?.[tableName] ?? []) as typeof left;
    }
  };

  const mark = async (organizationId: string, id: string, now: number): Promise<keyof MarkResult> => {
    if (timeOfEventId(id) === undefined) return "notFound";
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope: organizationKey(organizationId), id },
      UpdateExpression: "SET #processed = :true, processedAt = :now REMOVE openKey",
      ConditionExpression: "#processed = :false AND #ttl > :seconds",
      ExpressionAttributeNames: { "#processed": "processed", "#ttl": "ttl" },
      ExpressionAttributeValues: { ":true": true, ":false": false, ":now": now, ":seconds": Math.floor(now / 1000) },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      await callStore((options) => client.send(command, options));
      return "processed";
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { processed, processedAt, ttl } = error.Item ?? {};
      if (processed?.BOOL !== true || Number(ttl?.N ?? 0) * 1000 <= now) return "notFound";
      // Our own mark, whose answer was lost and which the SDK repeated.
      return Number(processedAt?.N) === now && (error.$metadata.attempts ?? 1) > 1 ? "processed" : "alreadyProcessed";
    }
  };

  return {
    /** Writes an event, once for its id: one write unit, and one for each index it stands in. */
    put,

    /** Writes many events at the same price, 25 in a call. Ids are new ones: a batch knows no condition. */
    async putAll(events: readonly StoredEvent[], deadlineMs?: number): Promise<void> {
      const [only, ...others] = events;
      if (only !== undefined && others.length === 0) return put(only, deadlineMs);
      for (const batch of chunksOf(events, BATCH_WRITE_MAX)) await putBatch(batch);
    },

    /**
     * A page of a selection, newest first, from its most selective index. It reads at most 4 MB, so it may be shorter
     * than `limit` and still have a next one.
     */
    async list(selection: Selection, { limit, after, now }: { limit: number; after: string | undefined; now: number }) {
      const { items, next } = await read(planRead(selection), { selection, limit, after, now });
      return { events: items.map(fromItem), next };
    },

    /** The newest HIGH and CRITICAL events of a selection, at most `limit`. */
    async listHighRisk(selection: Selection, { limit, now }: { limit: number; now: number }): Promise<SecurityEvent[]> {
      const levels = (["HIGH", "CRITICAL"] as const).filter(
        (level) => selection.riskLevel === undefined || selection.riskLevel === level,
      );
      const pages = await Promise.all(
        levels.map((level) =>
          read(planHighRiskRead(selection, level), { selection, limit, now, maxUnits: HIGH_RISK_UNITS / 2 }),
        ),
      );
      return pages
        .flatMap(({ items }) => items.map(fromItem))
        .sort(newestFirst)
        .slice(0, limit);
    },

    /**
     * Marks events of an organization as processed: one write unit each, three above LOW.
     * Ids of other organizations, of no event and of expired ones are `notFound` alike.
     */
    async markProcessed(organizationId: string, ids: readonly string[], now: number): Promise<MarkResult> {
      const result: MarkResult = { processed: [], alreadyProcessed: [], notFound: [] };
      for (const chunk of chunksOf([...new Set(ids)], MARKS_AT_ONCE)) {
        const outcomes = await Promise.all(chunk.map((id) => mark(organizationId, id, now)));
        for (const [i, id] of chunk.entries()) result[outcomes[i] ?? "notFound"].push(id);
      }
      return result;
    },
  };
};
