import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { encodeJson } from "../../json/encode-json.ts";
import { callStore, isTransactionConflict } from "../../runtime/call-store.ts";
import { conditionalTransaction, conditionalWrite, transactWithRetry } from "../../runtime/conditional-write.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { renderUpdate } from "../../runtime/render-update.ts";
import { pauseBeforeRetry } from "../../runtime/retry-pause.ts";
import { expiryOf } from "../../terms/hours.ts";
import type { RequestIdentity } from "../../terms/idempotency-key.ts";
import { organizationKey } from "../../terms/keys.ts";
import type { Alert, AlertNote } from "./alert.ts";
import {
  type AlertItem,
  hashOfAlertId,
  isExpired,
  outboxEntry,
  parseAlertItem,
  parseRejected,
  resolvedKey,
  statusEntry,
  statusKey,
  toAlert,
  unresolvedKey,
} from "./alert-item.ts";

const MAX_ATTEMPTS = 12;

/**
 * The outcome of a decision. `unchanged`: the alert had that status before, or is resolved. `notFound`: the organization
 * has no unexpired alert of that id.
 */
export type Decided =
  | { outcome: "changed"; alert: Alert; note?: AlertNote }
  | { outcome: "unchanged" }
  | { outcome: "notFound" };

/** Who decides, and when (epoch ms). `token`: unique to the request, which may be repeated; by default to the call. */
export type Decision = { by: string; now: number; token?: string };

const changed = (item: AlertItem): Decided => ({ outcome: "changed", alert: toAlert(item) });
const unchanged: Decided = { outcome: "unchanged" };
const notFound: Decided = { outcome: "notFound" };

/** Retries while other writes interfere, such as raising the same alert. */
export const retryOnConflict = async (attempt: () => Promise<Decided | "conflict">): Promise<Decided> => {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const decided = await attempt();
    if (decided !== "conflict") return decided;
    await pauseBeforeRetry(attempts);
  }
  throw new DomainError("store_unavailable", "The alert changes too fast. Try again.");
};

export type AlertDecisionStore = ReturnType<typeof createAlertDecisionStore>;

/**
 * What operators do with alerts: generate, acknowledge, resolve. alert-note-store.ts assigns them and comments on them.
 * All calls throw DomainError `store_unavailable` if the table does not answer, or if other writes keep interfering.
 */
export const createAlertDecisionStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  const get = async (key: Record<string, string>) => {
    const command = new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item && { stored: Item, item: parseAlertItem(Item) };
  };

  /** The outcome for an alert that is not among the unresolved ones. @param token of a request to resolve it. */
  const lookUpResolved = async (scope: string, id: string, now: number, token?: string): Promise<Decided> => {
    const found = await get({ scope, key: resolvedKey(id) });
    if (found === undefined || isExpired(found.item, now)) return notFound;
    // An earlier attempt of this request may have resolved the alert.
    return token !== undefined && found.item.token === token ? changed(found.item) : unchanged;
  };

  return {
    /**
     * Stores an operator's own alert, unless this request has stored it before. Costs as raising does; with a key
     * three units more, because an alert that was resolved since must not be stored again.
     */
    async put(organizationId: string, alert: Alert, request: Omit<RequestIdentity, "isRepeated">): Promise<void> {
      const { id: token, at, isKeyed } = request;
      const scope = organizationKey(organizationId);
      const hash = hashOfAlertId(alert.id) ?? "";
      const { eventIds, metadata } = alert;
      const names = { ExpressionAttributeNames: { "#scope": "scope" } };
      const put = {
        TableName: tableName,
        Item: {
          ...alert,
          eventIds: eventIds.length > 0 ? eventIds : undefined,
          metadata: metadata && encodeJson(metadata),
          ...statusEntry(scope, "open", alert),
          ...outboxEntry(hash, at),
          ...{ scope, key: unresolvedKey(hash), token, ttl: expiryOf(alert.lastSeen, retentionDays) },
        },
        ...{ ConditionExpression: "attribute_not_exists(#scope)", ...names },
      };
      // The alert's id follows from the request: an item under its keys was stored by this request.
      if (!isKeyed) {
        await conditionalWrite((options) => client.send(new PutCommand(put), options));
        return;
      }
      const isUnresolved = {
        ...{ TableName: tableName, Key: { scope, key: resolvedKey(alert.id) } },
        ...{ ConditionExpression: "attribute_not_exists(#scope)", ...names },
      };
      await transactWithRetry(client, [{ Put: put }, { ConditionCheck: isUnresolved }]);
    },

    /** Acknowledges an open alert: one conditional write, and a read if its condition fails. */
    async acknowledge(
      organizationId: string,
      id: string,
      { by, now, token = newRequestToken() }: Decision,
    ): Promise<Decided> {
      const hash = hashOfAlertId(id);
      if (hash === undefined) return notFound;
      const scope = organizationKey(organizationId);
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { scope, key: unresolvedKey(hash) },
        ...renderUpdate({
          set: {
            status: "acknowledged",
            acknowledgedAt: now,
            acknowledgedBy: by,
            token,
            statusKey: statusKey(scope, "acknowledged"),
            outboxChange: "acknowledged",
          },
          setOnce: outboxEntry(hash, now),
          add: { revision: 1 },
          condition: "#id = :id AND #status = :open AND #ttl > :seconds",
          values: { id, open: "open", seconds: Math.floor(now / 1000) },
        }),
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      return retryOnConflict(async () => {
        const result = await conditionalWrite((options) => client.send(command, options)).catch((error: unknown) => {
          if (isTransactionConflict(error)) return undefined;
          throw error;
        });
        if (result === undefined) return "conflict";
        if (result.written) return changed(parseAlertItem(result.output.Attributes));
        const item = parseRejected(result.item);
        if (item?.id !== id) return lookUpResolved(scope, id, now);
        if (isExpired(item, now)) return notFound;
        // An earlier attempt of this request may have acknowledged the alert and lost its answer.
        return item.token === token ? changed(item) : unchanged;
      });
    },

    /**
     * Resolves an alert: a read, and a transaction that moves the alert from its hash to its id. From then on the same
     * trigger raises a new alert.
     */
    async resolve(
      organizationId: string,
      id: string,
      { by, now, token = newRequestToken() }: Decision,
    ): Promise<Decided> {
      const hash = hashOfAlertId(id);
      if (hash === undefined) return notFound;
      const scope = organizationKey(organizationId);
      const key = { scope, key: unresolvedKey(hash) };
      return retryOnConflict(async () => {
        const found = await get(key);
        if (found === undefined || found.item.id !== id) return lookUpResolved(scope, id, now, token);
        const { item, stored } = found;
        if (isExpired(item, now)) return notFound;
        const moved = {
          ...stored,
          key: resolvedKey(id),
          status: "resolved",
          resolvedAt: now,
          resolvedBy: by,
          token,
          revision: item.revision + 1,
          ttl: expiryOf(item.lastSeen, retentionDays),
          ...statusEntry(scope, "resolved", item),
          ...outboxEntry(hash, now),
          outboxChange: "resolved",
        };
        const command = new TransactWriteCommand({
          ClientRequestToken: newRequestToken(),
          TransactItems: [
            {
              Delete: {
                TableName: tableName,
                Key: key,
                ConditionExpression: "#id = :id AND #revision = :revision",
                ExpressionAttributeNames: { "#id": "id", "#revision": "revision" },
                ExpressionAttributeValues: { ":id": id, ":revision": item.revision },
              },
            },
            { Put: { TableName: tableName, Item: moved } },
          ],
        });
        const { written } = await conditionalTransaction((options) => client.send(command, options));
        return written ? changed(parseAlertItem(moved)) : "conflict";
      });
    },
  };
};
