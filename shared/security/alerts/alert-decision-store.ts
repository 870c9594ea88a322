import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore, isTransactionConflict } from "../../runtime/call-store.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { renderUpdate } from "../../runtime/render-update.ts";
import { pauseBeforeRetry } from "../../runtime/retry-pause.ts";
import { expiryOf } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import type { Alert } from "./alert.ts";
import {
  type AlertItem,
  hashOfAlertId,
  isExpired,
  parseAlertItem,
  placeInList,
  placeInOutbox,
  resolvedKey,
  toAlert,
  unresolvedKey,
} from "./alert-item.ts";
import { itemOfRefusal } from "./alert-refusal-store.ts";

const MAX_ATTEMPTS = 12;

/** What a decision came to: the alert as it is now, an alert that had been decided upon before, or none of theirs. */
export type Decided = { outcome: "changed"; alert: Alert } | { outcome: "unchanged" } | { outcome: "notFound" };

/** Who decides, and when (epoch ms). */
export type Decision = { by: string; now: number };

const changed = (item: AlertItem): Decided => ({ outcome: "changed", alert: toAlert(item) });
const unchanged: Decided = { outcome: "unchanged" };
const notFound: Decided = { outcome: "notFound" };

export type AlertDecisionStore = ReturnType<typeof createAlertDecisionStore>;

/**
 * What operators decide about alerts, by id. Another organization's alert, an expired one and none are not told apart.
 * All calls throw DomainError `store_unavailable` when the table does not answer, or does not come to rest.
 */
export const createAlertDecisionStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  const get = async (key: Record<string, string>) => {
    const command = new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true });
    const { Item } = await callStore((options) => client.send(command, options));
    // As it is stored, too: what is moved must lose nothing.
    return Item && { stored: Item, item: parseAlertItem(Item) };
  };

  /** What became of an alert that is not among the unresolved ones. */
  const lookUpResolved = async (scope: string, id: string, now: number): Promise<Decided> => {
    const found = await get({ scope, key: resolvedKey(id) });
    return found === undefined || isExpired(found.item, now) ? notFound : unchanged;
  };

  /** Tries until nobody interferes: raising an alert and deciding about it may meet. */
  const settle = async (attempt: () => Promise<Decided | "interfered">): Promise<Decided> => {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const decided = await attempt();
      if (decided !== "interfered") return decided;
      await pauseBeforeRetry(attempts);
    }
    throw new DomainError("store_unavailable", "The alert changes too fast. Try again.");
  };

  const move = async (found: { stored: Record<string, unknown>; item: AlertItem }, moved: Record<string, unknown>) => {
    const { scope, key } = found.stored;
    const command = new TransactWriteCommand({
      // The SDK sends it again where an answer was lost, and DynamoDB then says what it said the first time.
      ClientRequestToken: newRequestToken(),
      TransactItems: [
        {
          Delete: {
            TableName: tableName,
            Key: { scope, key },
            ConditionExpression: "#id = :id AND #revision = :revision",
            ExpressionAttributeNames: { "#id": "id", "#revision": "revision" },
            ExpressionAttributeValues: { ":id": found.item.id, ":revision": found.item.revision },
          },
        },
        { Put: { TableName: tableName, Item: moved } },
      ],
    });
    await callStore((options) => client.send(command, options));
  };

  return {
    /** Acknowledges an open alert: one conditional write, and a read where that is refused. */
    async acknowledge(organizationId: string, id: string, { by, now }: Decision): Promise<Decided> {
      const hash = hashOfAlertId(id);
      if (hash === undefined) return notFound;
      const scope = organizationKey(organizationId);
      const token = newRequestToken();
      const { statusKey } = placeInList(scope, "acknowledged", { firstSeen: 0, id });
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { scope, key: unresolvedKey(hash) },
        ...renderUpdate({
          set: {
            status: "acknowledged",
            acknowledgedAt: now,
            acknowledgedBy: by,
            token,
            statusKey,
            outboxChange: "acknowledged",
          },
          setOnce: placeInOutbox(hash, now),
          add: { revision: 1 },
          condition: "#id = :id AND #status = :open AND #ttl > :seconds",
          values: { id, open: "open", seconds: Math.floor(now / 1000) },
        }),
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      return settle(async () => {
        try {
          const { Attributes } = await callStore((options) => client.send(command, options));
          return changed(parseAlertItem(Attributes));
        } catch (error) {
          if (isTransactionConflict(error)) return "interfered";
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          const item = itemOfRefusal(error);
          if (item?.id !== id) return lookUpResolved(scope, id, now);
          if (isExpired(item, now)) return notFound;
          return item.token === token ? changed(item) : unchanged;
        }
      });
    },

    /**
     * Resolves an alert: a read, and a transaction that moves it from under its hash to under its id, so that the same
     * reason makes a new alert from then on.
     */
    async resolve(organizationId: string, id: string, { by, now }: Decision): Promise<Decided> {
      const hash = hashOfAlertId(id);
      if (hash === undefined) return notFound;
      const scope = organizationKey(organizationId);
      return settle(async () => {
        const found = await get({ scope, key: unresolvedKey(hash) });
        if (found === undefined || found.item.id !== id) return lookUpResolved(scope, id, now);
        const { item, stored } = found;
        if (isExpired(item, now)) return notFound;
        const moved = {
          ...stored,
          key: resolvedKey(id),
          status: "resolved",
          resolvedAt: now,
          resolvedBy: by,
          revision: item.revision + 1,
          ttl: expiryOf(item.lastSeen, retentionDays),
          ...placeInList(scope, "resolved", item),
          ...placeInOutbox(hash, now),
          outboxChange: "resolved",
        };
        try {
          await move(found, moved);
          return changed(parseAlertItem(moved));
        } catch (error) {
          if (error instanceof TransactionCanceledException) return "interfered";
          throw error;
        }
      });
    },
  };
};
