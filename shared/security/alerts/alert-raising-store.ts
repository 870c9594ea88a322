/**
 * The update that raises an alert: one conditional write, whether it makes the alert or counts it again.
 *
 * An update knows no minimum and no maximum, so it says beforehand which of the times and the level it moves, and its
 * condition that this is right. The guess is nearly always right, as evidence comes in order; where it is not, the
 * refusal shows what is there, and the next guess is made from that. The three only move one way, so guesses end.
 */

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { encodeJson } from "../../json/encode-json.ts";
import { callStore, isTransactionConflict } from "../../runtime/call-store.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { renderUpdate, type Update } from "../../runtime/render-update.ts";
import { pauseBeforeRetry } from "../../runtime/retry-pause.ts";
import { expiryOf } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import { isAtLeast, riskLevels } from "../../terms/risk-levels.ts";
import type { Alert } from "./alert.ts";
import {
  type AlertItem,
  alertHash,
  alertId,
  firstFields,
  isExpired,
  listKey,
  parseAlertItem,
  placeInList,
  placeInOutbox,
  surplusIds,
  toAlert,
  unresolvedKey,
} from "./alert-item.ts";
import type { Raising } from "./alert-raiser.ts";
import { itemOfRefusal } from "./alert-refusal-store.ts";

export type RaiseContext = {
  scope: string;
  hash: string;
  raising: Raising;
  /** Epoch ms. */
  now: number;
  retentionDays: number;
  /** 16 bytes. */
  random: Uint8Array;
};

const partsOf = ({ scope, hash, raising, now, retentionDays, random }: RaiseContext) => {
  const { kind, level, firstSeen, lastSeen, eventIds, occurrence, evidence } = raising;
  const alert: Pick<Alert, "id" | "firstSeen" | "status"> = {
    id: alertId(hash, now, random),
    firstSeen,
    status: "open",
  };
  return {
    once: { ...alert, ...firstFields(raising), ...placeInList(scope, "open", alert), ...placeInOutbox(hash, now) },
    level: { level },
    last: { lastSeen, ttl: expiryOf(lastSeen, retentionDays) },
    always: evidence ? { evidence: encodeJson(evidence.details) } : {},
    counted: {
      count: 1,
      revision: 1,
      ...(eventIds.length > 0 && { eventIds: new Set(eventIds) }),
      ...(kind === "finding" && { occurrences: new Set([occurrence]) }),
      ...(evidence && { evidenceCount: evidence.count }),
    },
  };
};

/** In the place of an alert that has expired and was not removed yet: a new one, of which nothing is the old one's. */
const renewal = (context: RaiseContext): Update => {
  const { once, level, last, always, counted } = partsOf(context);
  const set = { ...once, ...level, ...last, ...always, ...counted };
  const others = ["message", "metadata", "evidence", "evidenceCount", "occurrences", "eventIds"];
  const decisions = ["acknowledgedAt", "acknowledgedBy", "outboxChange", "token"];
  return {
    set,
    remove: [...others, ...decisions].filter((name) => !Object.hasOwn(set, name)),
    condition: "#ttl <= :seconds",
    values: { seconds: Math.floor(context.now / 1000) },
  };
};

/** @param known what the refusal of the guess before showed. */
export const raiseUpdate = (context: RaiseContext, known: AlertItem | undefined): Update => {
  if (known !== undefined && isExpired(known, context.now)) return renewal(context);
  const { raising, now } = context;
  const { once, level, last, always, counted } = partsOf(context);
  const isLater = known === undefined || raising.lastSeen >= known.lastSeen;
  const isEarlier = known !== undefined && raising.firstSeen < known.firstSeen;
  const isHigher = known !== undefined && !isAtLeast(known.level, raising.level);
  const levelsAtLeast = riskLevels.filter((one) => isAtLeast(one, raising.level));
  const earlier = isEarlier && { firstSeen: raising.firstSeen, listKey: listKey({ ...raising, id: known.id }) };

  const { firstSeen, listKey: place, ...rest } = once;
  const setOnce = {
    ...rest,
    ...(!isEarlier && { firstSeen, listKey: place }),
    ...(!isHigher && level),
    ...(!isLater && last),
  };
  const seen = raising.kind === "finding" ? "#occurrences" : "#eventIds";
  const unchanged = [
    `NOT contains(${seen}, :occurrence)`,
    "#ttl > :seconds",
    `#lastSeen ${isLater ? "<=" : ">="} :lastSeen`,
    `#firstSeen ${isEarlier ? ">" : "<="} :firstSeen`,
    `${isHigher ? "NOT " : ""}#level IN (${levelsAtLeast.map((one) => `:${one}`).join(", ")})`,
    ...(isEarlier ? ["#id = :knownId"] : []),
  ].join(" AND ");
  return {
    set: { ...always, ...(isLater && last), ...(isHigher && level), ...earlier },
    setOnce,
    add: counted,
    remove: ["outboxChange"],
    condition: isEarlier ? unchanged : `attribute_not_exists(#id) OR (${unchanged})`,
    values: {
      occurrence: raising.occurrence,
      seconds: Math.floor(now / 1000),
      lastSeen: raising.lastSeen,
      firstSeen: raising.firstSeen,
      ...Object.fromEntries(levelsAtLeast.map((one) => [one, one])),
      ...(isEarlier && { knownId: known.id }),
    },
  };
};

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
