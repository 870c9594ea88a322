import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore, isTransactionConflict } from "../../runtime/call-store.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { renderUpdate, type Update } from "../../runtime/render-update.ts";
import { pauseBeforeRetry } from "../../runtime/retry-pause.ts";
import { organizationKey } from "../../terms/keys.ts";
import type { Alert } from "./alert.ts";
import { type AlertItem, isExpired, parseAlertItem, surplusIds, toAlert } from "./alert-item.ts";
import { alertHash, unresolvedKey } from "./alert-key.ts";
import type { Raising } from "./alert-raising.ts";
import { itemOfRefusal } from "./alert-refusal-store.ts";
import { type RaiseContext, raiseUpdate } from "./alert-update.ts";

const MAX_ATTEMPTS = 12;

/** An alert's set of events may grow this far beyond what is shown before it costs a write to shorten it. */
const SURPLUS_BEFORE_TRIM = 16;

/** What raising came to; without a change where the same reason had been counted before. */
export type Raised = { alert: Alert; change: "raised" | "repeated" | undefined };

export type AlertRaisingStore = ReturnType<typeof createAlertRaisingStore>;

/** The raising of alerts, for all who only raise them. It takes nothing but the right to update items. */
export const createAlertRaisingStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays, random }: { retentionDays: number /** 16 bytes. */; random: () => Uint8Array },
) => {
  type Outcome = { item: AlertItem; done: "by this call" | "before" } | { item: AlertItem | undefined; done: "not" };

  const attempt = async (key: Record<string, string>, update: Update, context: RaiseContext): Promise<Outcome> => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: key,
      ...renderUpdate(update),
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      const { Attributes } = await callStore((options) => client.send(command, options));
      return { item: parseAlertItem(Attributes), done: "by this call" };
    } catch (error) {
      if (isTransactionConflict(error)) return { item: undefined, done: "not" };
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = itemOfRefusal(error);
      if (item === undefined) return { item, done: "not" };
      const { kind, occurrence } = context.raising;
      const counted = new Set(kind === "finding" ? item.occurrences : item.eventIds);
      if (!counted.has(occurrence) || isExpired(item, context.now)) return { item, done: "not" };
      // The SDK repeats an update whose answer was lost, and then finds that its own first try counted the reason; so
      // it is ours to publish. Where it was counted before all the same, the same state is published once more.
      return { item, done: (error.$metadata.attempts ?? 1) > 1 ? "by this call" : "before" };
    }
  };

  /** Takes the oldest ids out of sets that have grown. Others may add meanwhile; nobody waits for it. */
  const trim = async (key: Record<string, string>, item: AlertItem): Promise<void> => {
    const surplus = { eventIds: surplusIds(item.eventIds), occurrences: surplusIds(item.occurrences) };
    const long = Object.entries(surplus).filter(([, ids]) => ids.length > SURPLUS_BEFORE_TRIM);
    if (long.length === 0) return;
    const command = new UpdateCommand({
      TableName: tableName,
      Key: key,
      UpdateExpression: `DELETE ${long.map(([name]) => `#${name} :${name}`).join(", ")}`,
      ConditionExpression: "#id = :id",
      ExpressionAttributeNames: { "#id": "id", ...Object.fromEntries(long.map(([name]) => [`#${name}`, name])) },
      ExpressionAttributeValues: {
        ":id": item.id,
        ...Object.fromEntries(long.map(([name, ids]) => [`:${name}`, new Set(ids)])),
      },
    });
    // The next one who raises the alert will try again.
    await callStore((options) => client.send(command, options)).catch(() => undefined);
  };

  return {
    /**
     * Raises an alert: makes it, or counts the unresolved one of its rule and subject again. One write where nothing
     * interferes, two where evidence comes out of order; the same reason again changes nothing.
     * Units: the size of the item in KB, twice, and one for a change that starts to wait for publication.
     * @param now epoch ms.
     * @throws DomainError `store_unavailable`.
     */
    async raise(organizationId: string, raising: Raising, now: number): Promise<Raised> {
      const scope = organizationKey(organizationId);
      const hash = alertHash(raising.kind, raising.rule, raising.subject);
      const key = { scope, key: unresolvedKey(hash) };
      const context = { scope, hash, raising, now, retentionDays, random: random() };
      let known: AlertItem | undefined;
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const { item, done } = await attempt(key, raiseUpdate(context, known), context);
        if (done === "not") {
          known = item;
          if (attempts > 1 || item === undefined) await pauseBeforeRetry(attempts);
          continue;
        }
        if (done === "before") return { alert: toAlert(item), change: undefined };
        await trim(key, item);
        return { alert: toAlert(item), change: item.revision === 1 ? "raised" : "repeated" };
      }
      throw new DomainError("store_unavailable", "The store did not take the alert. Try again.");
    },
  };
};
