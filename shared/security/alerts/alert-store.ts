import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore, isTransactionConflict } from "../../runtime/call-store.ts";
import { conditionalWrite } from "../../runtime/conditional-write.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { getItem } from "../../runtime/get-item.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { queryPage } from "../../runtime/query-page.ts";
import { ALERTS_BY_STATUS } from "../../terms/indexes.ts";
import { organizationIdOf, organizationKey } from "../../terms/keys.ts";
import { listWaiting } from "../../work/sharded-index-store.ts";
import type { SecurityEvent } from "../security-event.ts";
import {
  type Alert,
  type AlertPosition,
  type AlertStatus,
  alertStatuses,
  type ChangedAlert,
  EVENT_RULE,
} from "./alert.ts";
import { type AlertCounts, COUNTED_ATTRIBUTES, countAlerts, MAX_COUNTED_ALERTS } from "./alert-counts.ts";
import {
  alertHash,
  hashOfAlertId,
  isExpired,
  listKey,
  outboxIndex,
  parseAlertItem,
  pendingChange,
  resolvedKey,
  statusKey,
  toAlert,
  UNRESOLVED,
  UNRESOLVED_FINDINGS,
  unresolvedKey,
} from "./alert-item.ts";
import { subjectOfEvent } from "./event-title.ts";

type ListOptions = {
  status: AlertStatus | undefined;
  limit: number;
  after: AlertPosition | undefined;
  /** Epoch ms. */
  now: number;
};

/** A call reads 1 MB. A list of all three statuses shares what a request may read. */
const CALLS_FOR_ONE_STATUS = 4;
const CALLS_PER_STATUS = 1;

/** The most unresolved findings to read. There is one per rule and subject, so mostly a few. */
const MAX_FINDINGS = 1_000;

const READS_AT_ONCE = 8;

const newestFirst = (a: Pick<Alert, "firstSeen" | "id">, b: Pick<Alert, "firstSeen" | "id">) =>
  listKey(a) < listKey(b) ? 1 : -1;

export type AlertStore = ReturnType<typeof createAlertStore>;

/**
 * Lists alerts. Partition key `scope`, sort key `key` (alert-item.ts). Index `byStatus` (`statusKey`, `listKey`, all
 * attributes) serves the lists. Other stores of the table: alert-raising-store.ts and alert-decision-store.ts write
 * alerts, `createAlertOutboxStore` below lists unpublished changes.
 * All calls throw DomainError `store_unavailable` if the table does not answer.
 */
export const createAlertStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** A status's alerts after a position. `completeTo`: the last of them if there are more. */
  const readStatus = async (scope: string, status: AlertStatus, { status: asked, after, limit }: ListOptions) => {
    const query = {
      TableName: tableName,
      IndexName: ALERTS_BY_STATUS.name,
      KeyConditionExpression: after ? "#status = :status AND #listKey < :after" : "#status = :status",
      ExpressionAttributeNames: {
        "#status": ALERTS_BY_STATUS.partitionKey,
        ...(after && { "#listKey": ALERTS_BY_STATUS.sortKey }),
      },
      ExpressionAttributeValues: { ":status": statusKey(scope, status), ...(after && { ":after": listKey(after) }) },
      ScanIndexForward: false,
    };
    const calls = asked === undefined ? CALLS_PER_STATUS : CALLS_FOR_ONE_STATUS;
    const page = await queryPage(client, query, limit, calls);
    const items = page.items.map(parseAlertItem);
    return { items, completeTo: page.hasMore ? items.at(-1) : undefined };
  };

  return {
    /**
     * A page of an organization's alerts, newest firstSeen first. Half a read unit per 4 KB; without a status, three
     * parallel queries. Reads at most 4 MB, so a page may be shorter than `limit` and still have a next page. May lag by
     * a second.
     */
    async list(organizationId: string, options: ListOptions) {
      const scope = organizationKey(organizationId);
      const statuses = options.status === undefined ? alertStatuses : [options.status];
      const parts = await Promise.all(statuses.map((status) => readStatus(scope, status, options)));
      const [end] = parts.flatMap(({ completeTo }) => completeTo ?? []).sort(newestFirst);
      const complete = parts
        .flatMap(({ items }) => items)
        .sort(newestFirst)
        // Below the first status's end, its unread alerts may come before those of other statuses.
        .filter((item) => end === undefined || listKey(item) >= listKey(end));
      const page = complete.slice(0, options.limit);
      const hasMore = end !== undefined || complete.length > page.length;
      const last = hasMore ? page.at(-1) : undefined;
      return {
        items: page.filter((item) => !isExpired(item, options.now)).map(toAlert),
        next: last && { firstSeen: last.firstSeen, id: last.id },
      };
    },

    /**
     * An organization's alert; a read unit per 4 KB, two if it is resolved.
     * @throws DomainError `alert_not_found` if it is unknown or expired
     */
    async get(organizationId: string, id: string, now: number): Promise<Alert> {
      const hash = hashOfAlertId(id);
      for (const key of hash === undefined ? [] : [unresolvedKey(hash), resolvedKey(id)]) {
        const stored = await getItem(client, tableName, { scope: organizationKey(organizationId), key });
        const item = stored && parseAlertItem(stored);
        if (item?.id === id && !isExpired(item, now)) return toAlert(item);
      }
      throw new DomainError("alert_not_found", "There is no such alert.");
    },

    /**
     * The unresolved alert that an event at or above ALERT_THRESHOLD raised or repeated; undefined if there is none, or no
     * longer. A read unit per 4 KB.
     */
    async getRaisedBy(organizationId: string, event: SecurityEvent, now: number): Promise<Alert | undefined> {
      const key = unresolvedKey(alertHash("event", EVENT_RULE, subjectOfEvent(event)));
      const stored = await getItem(client, tableName, { scope: organizationKey(organizationId), key });
      const item = stored && parseAlertItem(stored);
      if (item === undefined || isExpired(item, now)) return undefined;
      return item.firstSeen <= event.timestamp && event.timestamp <= item.lastSeen ? toAlert(item) : undefined;
    },

    /** How many alerts are unresolved. Half a read unit for each 4 KB of the first 1,000 of them, and at most 4 MB. */
    async countUnresolved(organizationId: string, now: number): Promise<AlertCounts> {
      const query = {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :unresolved)",
        ProjectionExpression: COUNTED_ATTRIBUTES.map((name) => `#${name}`).join(),
        ExpressionAttributeNames: Object.fromEntries(
          ["scope", "key", ...COUNTED_ATTRIBUTES].map((name) => [`#${name}`, name]),
        ),
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":unresolved": UNRESOLVED },
      };
      const { items, hasMore } = await queryPage(client, query, MAX_COUNTED_ALERTS);
      return countAlerts(items, hasMore, now);
    },

    /** An organization's unresolved findings, newest firstSeen first; at most 1,000, and 4 MB. */
    async listUnresolvedFindings(organizationId: string, now: number): Promise<Alert[]> {
      const query = {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :findings)",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":findings": UNRESOLVED_FINDINGS },
      };
      const { items } = await queryPage(client, query, MAX_FINDINGS);
      const unexpired = items.map(parseAlertItem).filter((item) => !isExpired(item, now));
      return unexpired.map(toAlert).sort(newestFirst);
    },
  };
};

const OutboxEntry = z.object({ scope: z.string(), key: z.string() });

export type AlertOutboxStore = ReturnType<typeof createAlertOutboxStore>;

/**
 * The outbox of alerts (work/outbox.ts): the write that changes an alert puts it into index `byOutbox`, and publishing the
 * change removes it. All calls throw DomainError `store_unavailable` if the table does not answer.
 */
export const createAlertOutboxStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Removes a published alert from the outbox, unless it has changed since. One write. */
  async remove(organizationId: string, { id, revision, status }: Alert): Promise<void> {
    const key = status === "resolved" ? resolvedKey(id) : unresolvedKey(hashOfAlertId(id) ?? "");
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope: organizationKey(organizationId), key },
      UpdateExpression: "REMOVE outboxShard, outboxAt, outboxChange",
      ConditionExpression: "id = :id AND revision = :revision",
      ExpressionAttributeValues: { ":id": id, ":revision": revision },
    });
    await conditionalWrite((options) => client.send(command, options)).catch((error: unknown) => {
      // A transaction is moving the alert: it has changed since.
      if (!isTransactionConflict(error)) throw error;
    });
  },

  /**
   * Changes that have waited since before a time: at most `limit` of each of 8 shards, each shard's oldest first. Half a
   * read unit per shard, and one per change.
   * @param options.before and `now` epoch ms.
   */
  async list({ before, now, limit }: { before: number; now: number; limit: number }): Promise<ChangedAlert[]> {
    const entries = await listWaiting(client, tableName, outboxIndex, { before, limit });
    const changes: (ChangedAlert | undefined)[] = [];
    await inParallel(entries.entries(), READS_AT_ONCE, async ([i, entry]) => {
      const { scope, key } = OutboxEntry.parse(entry);
      const command = new GetCommand({ TableName: tableName, Key: { scope, key }, ConsistentRead: true });
      const { Item } = await callStore((options) => client.send(command, options));
      const item = Item && parseAlertItem(Item);
      // The alert was resolved (then it waits under another key), published or deleted since the index was read.
      if (item?.outboxAt === undefined || isExpired(item, now)) return;
      const organizationId = organizationIdOf(scope);
      changes[i] = { organizationId, alert: toAlert(item), change: pendingChange(item), at: item.outboxAt };
    });
    return changes.filter((change) => change !== undefined);
  },
});
