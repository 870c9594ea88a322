/**
 * Raises alerts: one conditional update either creates the alert or counts it again.
 *
 * An update expression has no minimum or maximum. So the update assumes how the trigger compares with the stored alert
 * (later? earlier? higher level?), and its condition checks the assumption. Evidence mostly comes in order, so the first
 * assumption mostly holds. If it fails, the rejection returns the stored item, and the next attempt compares with that:
 *
 *     A (seen 10:02): assumes the latest ── written: lastSeen 10:02
 *     B (seen 10:01):     assumes the latest ────── refused: lastSeen 10:02 ── assumes an earlier trigger ── written
 *
 * The three values only move one way, so the attempts end.
 */
import { definedFields } from "../../json/defined-fields.ts";
import { encodeJson } from "../../json/encode-json.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { pauseBeforeRetry } from "../../runtime/retry-pause.ts";
import { type Table, type Update, updateItem } from "../../runtime/table.ts";
import { expiryOf } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import { isAtLeast, riskLevels } from "../../terms/risk-levels.ts";
import type { TableKey } from "../../terms/tables.ts";
import type { Alert, AlertTrigger } from "./alert.ts";
import {
  type AlertItem,
  alertHash,
  alertId,
  isExpired,
  listKey,
  outboxEntry,
  parseAlertItem,
  parseRejected,
  statusEntry,
  surplusIds,
  toAlert,
  unresolvedKey,
} from "./alert-item.ts";

type Key = TableKey<"securityAlerts">;

const MAX_ATTEMPTS = 12;

/** How far the stored set of event ids may exceed what an alert shows before a write shortens it. */
const SURPLUS_BEFORE_TRIM = 16;

type RaiseContext = { scope: string; hash: string; trigger: AlertTrigger; now: number; newId: string; ttl: number };

/** The attributes of a raised alert, by how an update writes them. */
const attributesOf = ({ scope, hash, trigger, now, newId, ttl }: RaiseContext) => {
  const { kind, rule, subject, title, message, level, firstSeen, lastSeen, eventIds, occurrence } = trigger;
  const { evidence, attack } = trigger;
  return {
    /** Written only when the alert is created. */
    first: {
      id: newId,
      status: "open",
      firstSeen,
      rule,
      subject,
      title,
      ...definedFields({ message }),
      ...(kind === "drill" && { drill: true }),
      ...statusEntry(scope, "open", { firstSeen, id: newId }),
      ...outboxEntry(hash, now),
    },
    level: { level },
    /** Written when a repetition raises the level; raisedLevel only the first time. */
    escalation: { level, escalatedAt: now },
    last: { lastSeen, ttl },
    always: definedFields({
      evidence: evidence && encodeJson(evidence.details),
      attack: attack && encodeJson(attack),
    }),
    added: {
      count: 1,
      revision: 1,
      ...(eventIds.length > 0 && { eventIds: new Set(eventIds) }),
      ...(kind !== "event" && { occurrences: new Set([occurrence]) }),
      ...(evidence && { evidenceCount: evidence.count }),
    },
  };
};

/** Replaces an expired alert that DynamoDB has not deleted yet by a new alert. */
const replaceExpired = (context: RaiseContext): Update => {
  const { first, level, last, always, added } = attributesOf(context);
  const set = { ...first, ...level, ...last, ...always, ...added };
  const optional = ["message", "metadata", "evidence", "evidenceCount", "attack", "occurrences", "eventIds"];
  const decisions = ["acknowledgedAt", "acknowledgedBy", "outboxChange", "token"];
  const escalation = ["raisedLevel", "escalatedAt"];
  const notes = ["assignee", "assignedAt", "assignedBy", "assignments", "comments", "commentedAt", "notesUntil"];
  const reopening = ["reopenings", "reopenedAt", "reopenedBy"];
  return {
    set,
    remove: [...optional, ...decisions, ...escalation, ...notes, ...reopening].filter(
      (name) => !Object.hasOwn(set, name),
    ),
    condition: "#ttl <= :seconds",
    values: { seconds: Math.floor(context.now / 1000) },
  };
};

/** @param stored the item that rejected the previous attempt; undefined on the first attempt. */
const updateOf = (context: RaiseContext, stored: AlertItem | undefined): Update => {
  const { trigger, now } = context;
  if (stored !== undefined && isExpired(stored, now)) return replaceExpired(context);
  const { first, level, escalation, last, always, added } = attributesOf(context);
  const isLater = stored === undefined || trigger.lastSeen >= stored.lastSeen;
  const isEarlier = stored !== undefined && trigger.firstSeen < stored.firstSeen;
  const isHigher = stored !== undefined && !isAtLeast(stored.level, trigger.level);
  const levelsAtLeast = riskLevels.filter((one) => isAtLeast(one, trigger.level));
  const earlier = isEarlier && { firstSeen: trigger.firstSeen, listKey: listKey({ ...trigger, id: stored.id }) };

  const { firstSeen, listKey: firstListKey, ...rest } = first;
  const countedIn = trigger.kind === "event" ? "#eventIds" : "#occurrences";
  const isNewAlert = "attribute_not_exists(#id)";
  const isUncounted = `NOT contains(${countedIn}, :occurrence)`;
  const isUnexpired = "#ttl > :seconds";
  const endsAsAssumed = `#lastSeen ${isLater ? "<=" : ">="} :lastSeen`;
  const beginsAsAssumed = isEarlier ? "#firstSeen > :firstSeen AND #id = :storedId" : "#firstSeen <= :firstSeen";
  const hasAssumedLevel = isHigher
    ? "#level = :storedLevel"
    : `#level IN (${levelsAtLeast.map((one) => `:${one}`).join(", ")})`;
  const assumption = [isUncounted, isUnexpired, endsAsAssumed, beginsAsAssumed, hasAssumedLevel].join(" AND ");
  return {
    set: { ...always, ...(isLater && last), ...(isHigher && escalation), ...earlier },
    setOnce: {
      ...rest,
      ...(isHigher && { raisedLevel: stored.level }),
      ...(!isEarlier && { firstSeen, listKey: firstListKey }),
      ...(!isHigher && level),
      ...(!isLater && last),
    },
    add: added,
    remove: ["outboxChange"],
    // Only a stored alert can have later evidence or a lower level.
    condition: isEarlier || isHigher ? assumption : `${isNewAlert} OR (${assumption})`,
    values: {
      occurrence: trigger.occurrence,
      seconds: Math.floor(now / 1000),
      lastSeen: trigger.lastSeen,
      firstSeen: trigger.firstSeen,
      ...(isHigher ? { storedLevel: stored.level } : Object.fromEntries(levelsAtLeast.map((one) => [one, one]))),
      ...(isEarlier && { storedId: stored.id }),
    },
  };
};

/** The alert and its change; no change if the same trigger was counted before. */
type RaisedAlert = { alert: Alert; change: "raised" | "repeated" | undefined };

export type AlertRaisingStore = ReturnType<typeof createAlertRaisingStore>;

/** Raises alerts. Its only right on the table is to update items. */
export const createAlertRaisingStore = (
  table: Table<"securityAlerts">,
  { retentionDays, random }: { retentionDays: number /** 16 bytes. */; random: () => Uint8Array },
) => {
  type Outcome = { item: AlertItem; counted: "now" | "before" } | { item: AlertItem | undefined; counted: "no" };

  const attempt = async (key: Key, context: RaiseContext, stored: AlertItem | undefined): Promise<Outcome> => {
    const update = updateOf(context, stored);
    const result = await updateItem(table, key, { ...update, returns: "after", whileHeld: "refuse" });
    if (result.written) return { item: parseAlertItem(result.item), counted: "now" };
    const item = parseRejected(result.item);
    const { kind, occurrence } = context.trigger;
    const countedTriggers = new Set(kind === "event" ? item?.eventIds : item?.occurrences);
    if (item === undefined || !countedTriggers.has(occurrence) || isExpired(item, context.now)) {
      return { item, counted: "no" };
    }
    // An earlier attempt of this call may have counted the trigger and lost its answer; then this call must publish the
    // change. If the trigger was counted before this call, the same state is published once more.
    return { item, counted: result.isRepeated ? "now" : "before" };
  };

  /** Deletes the oldest ids of sets that have grown. If that fails, the next trigger tries again. */
  const trim = async (key: Key, item: AlertItem): Promise<void> => {
    const surplus = { eventIds: surplusIds(item.eventIds), occurrences: surplusIds(item.occurrences) };
    const long = Object.entries(surplus).filter(([, ids]) => ids.length > SURPLUS_BEFORE_TRIM);
    if (long.length === 0) return;
    const removeFrom = Object.fromEntries(long.map(([name, ids]) => [name, new Set(ids)]));
    const isSameAlert = { condition: "#id = :id", values: { id: item.id } };
    await updateItem(table, key, { removeFrom, ...isSameAlert }).catch(() => undefined);
  };

  return {
    /**
     * Creates the alert of a trigger, or counts the unresolved alert of its rule and subject again. The same trigger again
     * changes nothing. One write, or two if evidence comes out of order. Units: twice the item's size in KB, and one for
     * a change that starts to wait for publication.
     * @param now epoch ms.
     * @throws DomainError `store_unavailable`.
     */
    async raise(organizationId: string, trigger: AlertTrigger, now: number): Promise<RaisedAlert> {
      const scope = organizationKey(organizationId);
      const { kind, rule, subject, occurrence } = trigger;
      const hash = alertHash(kind, rule, kind === "drill" ? occurrence : subject);
      const key = { scope, key: unresolvedKey(hash) };
      const ttl = expiryOf(trigger.lastSeen, retentionDays);
      const context = { scope, hash, trigger, now, newId: alertId(hash, now, random()), ttl };
      let stored: AlertItem | undefined;
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
        const { item, counted } = await attempt(key, context, stored);
        if (counted === "before") return { alert: toAlert(item), change: undefined };
        if (counted === "now") {
          await trim(key, item);
          return { alert: toAlert(item), change: item.revision === 1 ? "raised" : "repeated" };
        }
        stored = item;
        if (attempts > 1 || item === undefined) await pauseBeforeRetry(attempts);
      }
      throw new DomainError("store_unavailable", "The store did not take the alert. Try again.");
    },
  };
};
