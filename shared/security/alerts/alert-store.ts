import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore, isTransactionConflict } from "../../runtime/call-store.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { queryPage } from "../../runtime/query-page.ts";
import { expiryOf } from "../../terms/hours.ts";
import { ALERT_OUTBOX, ALERTS_BY_STATUS } from "../../terms/indexes.ts";
import { organizationIdOf, organizationKey } from "../../terms/keys.ts";
import { type Alert, type AlertStatus, alertStatuses, type ChangedAlert } from "./alert.ts";
import {
  hashOfAlertId,
  isExpired,
  listKey,
  newAlertItem,
  outboxShards,
  parseAlertItem,
  pendingChange,
  resolvedKey,
  statusKey,
  toAlert,
  UNRESOLVED_FINDINGS,
  unresolvedKey,
} from "./alert-item.ts";
import { itemOfRefusal } from "./alert-refusal-store.ts";

/** Where a page ended. */
export type AlertPosition = { firstSeen: number; id: string };

export type ListOptions = {
  status: AlertStatus | undefined;
  limit: number;
  after: AlertPosition | undefined;
  /** Epoch ms. */
  now: number;
};

/** Of 1 MB: the three statuses of one list share what a request may read. */
const CALLS_FOR_ONE_STATUS = 4;
const CALLS_FOR_EACH_STATUS = 1;

/** The most unresolved findings that are read at once: one per rule and subject, so there are seldom more than a few. */
const MAX_FINDINGS = 1_000;

const newestFirst = (a: Pick<Alert, "firstSeen" | "id">, b: Pick<Alert, "firstSeen" | "id">) =>
  listKey(a) < listKey(b) ? 1 : -1;

export type AlertStore = ReturnType<typeof createAlertStore>;

/**
 * The alerts of all organizations. Partition key `scope`, sort key `key`: an unresolved alert lies under the hash of
 * its rule and subject, a resolved one under its id (alert-key.ts). Index `byStatus` (`statusKey`, `listKey`, all
 * attributes) lists them, index `byOutbox` (`outboxShard`, `outboxAt`, keys only, sparse) holds changes that are not
 * known to be published. Raising: alert-raising-store.ts; deciding: alert-decision-store.ts; publishing:
 * alert-outbox-store.ts. All calls throw DomainError `store_unavailable` when the table does not answer.
 */
export const createAlertStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  /** What of a status comes after a position, and down to where it is complete. */
  const readStatus = async (scope: string, status: AlertStatus, options: ListOptions) => {
    const { after } = options;
    const query = {
      TableName: tableName,
      IndexName: ALERTS_BY_STATUS.name,
      KeyConditionExpression: after ? "#status = :status AND #place < :after" : "#status = :status",
      ExpressionAttributeNames: {
        "#status": ALERTS_BY_STATUS.partitionKey,
        ...(after && { "#place": ALERTS_BY_STATUS.sortKey }),
      },
      ExpressionAttributeValues: {
        ":status": statusKey(scope, status),
        ...(after && { ":after": listKey(after) }),
      },
      ScanIndexForward: false,
    };
    const calls = options.status === undefined ? CALLS_FOR_EACH_STATUS : CALLS_FOR_ONE_STATUS;
    const { items, hasMore } = await queryPage(client, query, options.limit, calls);
    const parsed = items.map(parseAlertItem);
    return { items: parsed, completeTo: hasMore ? parsed.at(-1) : undefined };
  };

  return {
    /** Stores an alert that is nobody's but its operator's, under an id of its own. Costs as raising does. */
    async put(organizationId: string, alert: Alert, now: number): Promise<void> {
      const scope = organizationKey(organizationId);
      const token = newRequestToken();
      const hash = hashOfAlertId(alert.id) ?? "";
      const command = new PutCommand({
        TableName: tableName,
        Item: {
          ...newAlertItem(scope, hash, { alert, token, at: now }),
          key: unresolvedKey(hash),
          ttl: expiryOf(alert.lastSeen, retentionDays),
        },
        ConditionExpression: "attribute_not_exists(#scope)",
        ExpressionAttributeNames: { "#scope": "scope" },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      try {
        await callStore((options) => client.send(command, options));
      } catch (error) {
        // Nobody else can have this id: what is there came by our own first try, whose answer was lost.
        if (error instanceof ConditionalCheckFailedException && itemOfRefusal(error)?.token === token) return;
        throw error;
      }
    },

    /**
     * A page of an organization's alerts, newest first sight first. Half a read unit per 4 KB of them, three queries
     * side by side where no status is asked for; reads at most 4 MB. May lag by a second; a page may be shorter and
     * still have a next one.
     */
    async list(organizationId: string, options: ListOptions) {
      const scope = organizationKey(organizationId);
      const statuses = options.status === undefined ? alertStatuses : [options.status];
      const parts = await Promise.all(statuses.map((status) => readStatus(scope, status, options)));
      const ends = parts.flatMap(({ completeTo }) => completeTo ?? []).sort(newestFirst);
      const complete = parts
        .flatMap(({ items }) => items)
        .sort(newestFirst)
        // Below the end of a part that has more, another's items may not be the next ones.
        .filter((item) => ends[0] === undefined || listKey(item) >= listKey(ends[0]));
      const page = complete.slice(0, options.limit);
      const hasMore = ends.length > 0 || complete.length > page.length;
      const last = hasMore ? page.at(-1) : undefined;
      return {
        items: page.filter((item) => !isExpired(item, options.now)).map(toAlert),
        next: last && { firstSeen: last.firstSeen, id: last.id },
      };
    },

    /** An organization's unresolved findings, newest first sight first; 1,000, and 4 MB, at most. */
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

const Entry = z.object({ scope: z.string(), key: z.string() });

export type AlertOutboxStore = ReturnType<typeof createAlertOutboxStore>;

/**
 * Changes of alerts that are not known to be published. Each change puts its alert here by the very write that makes
 * it; whoever has published it takes it out. What is left behind was never published, or nobody knows.
 */
export const createAlertOutboxStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Takes an alert out, unless it has changed since. One write; whoever fails here leaves it to the next sweep. */
  async remove(organizationId: string, { id, revision, status }: Alert): Promise<void> {
    const key = status === "resolved" ? resolvedKey(id) : unresolvedKey(hashOfAlertId(id) ?? "");
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope: organizationKey(organizationId), key },
      UpdateExpression: "REMOVE #shard, #at, #change",
      ConditionExpression: "#id = :id AND #revision = :revision",
      ExpressionAttributeNames: {
        "#shard": "outboxShard",
        "#at": "outboxAt",
        "#change": "outboxChange",
        "#id": "id",
        "#revision": "revision",
      },
      ExpressionAttributeValues: { ":id": id, ":revision": revision },
    });
    try {
      await callStore((options) => client.send(command, options));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException || isTransactionConflict(error)) return;
      throw error;
    }
  },

  /**
   * Changes that have waited since before a time, oldest first in each part of the outbox; at most `limit` of a part.
   * Half a read unit for each of 8 parts, and one for each change.
   * @param before and `now` epoch ms.
   */
  async list({ before, now, limit }: { before: number; now: number; limit: number }): Promise<ChangedAlert[]> {
    const readPart = async (shard: string): Promise<ChangedAlert[]> => {
      const query = {
        TableName: tableName,
        IndexName: ALERT_OUTBOX.name,
        KeyConditionExpression: "#shard = :shard AND #at < :before",
        ExpressionAttributeNames: { "#shard": ALERT_OUTBOX.partitionKey, "#at": ALERT_OUTBOX.sortKey },
        ExpressionAttributeValues: { ":shard": shard, ":before": before },
      };
      const { items } = await queryPage(client, query, limit);
      const found: ChangedAlert[] = [];
      for (const entry of items) {
        const { scope, key } = Entry.parse(entry);
        const command = new GetCommand({ TableName: tableName, Key: { scope, key }, ConsistentRead: true });
        const { Item } = await callStore((options) => client.send(command, options));
        const item = Item && parseAlertItem(Item);
        // Resolved, published or expired meanwhile: another entry says so, or nothing is left to say.
        if (item?.outboxAt === undefined || isExpired(item, now)) continue;
        found.push({
          organizationId: organizationIdOf(scope),
          alert: toAlert(item),
          change: pendingChange(item),
          at: item.outboxAt,
        });
      }
      return found;
    };
    const parts = await Promise.all(outboxShards.map(readPart));
    return parts.flat();
  },
});
