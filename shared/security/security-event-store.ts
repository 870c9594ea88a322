import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { organizationKey } from "../terms/keys.ts";
import { timeOfEventId } from "./event-id.ts";
import { planHighRiskRead, planRead } from "./event-indexes.ts";
import { fromItem, toItem } from "./event-item.ts";
import { createEventReader, READ_UNITS_PER_REQUEST } from "./event-reader-store.ts";
import type { SecurityEvent } from "./security-event.ts";
import type { Selection } from "./selection.ts";

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
