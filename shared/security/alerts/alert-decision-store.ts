import { definedFields } from "../../json/defined-fields.ts";
import { encodeJson } from "../../json/encode-json.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { pauseBeforeRetry } from "../../runtime/retry-pause.ts";
import { getItem, putItem, type Table, updateItem } from "../../runtime/table.ts";
import { checkPart, deletePart, putPart, transact, transactOnce } from "../../runtime/table-transaction.ts";
import { expiryOf } from "../../terms/hours.ts";
import type { RequestIdentity } from "../../terms/idempotency-key.ts";
import { organizationKey } from "../../terms/keys.ts";
import type { TableKey } from "../../terms/tables.ts";
import type { Alert, AlertNote, AlertTrigger, ResolutionCause } from "./alert.ts";
import {
  type AlertItem,
  alertHash,
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
import { timeOfCommit } from "./alert-note.ts";

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

/**
 * The service itself resolves an alert whose cause is gone; then nobody is named. `cause`: what the alert turned out to be,
 * if an operator says it.
 */
type Resolution = Omit<Decision, "by"> & Partial<Pick<Decision, "by">> & { cause?: ResolutionCause | undefined };

/** What an alert was raised for: there is one unresolved alert for each cause. */
export type AlertCause = Pick<AlertTrigger, "kind" | "rule" | "subject">;

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
  table: Table<"securityAlerts">,
  { retentionDays }: { retentionDays: number },
) => {
  const get = async (key: TableKey<"securityAlerts">) => {
    const stored = await getItem(table, key);
    return stored && { stored, item: parseAlertItem(stored) };
  };

  /** The outcome for an alert that is not among the unresolved ones. @param token of a request to resolve it. */
  const lookUpResolved = async (
    scope: string,
    { id, hash, now, token }: { id: string; hash: string; now: number; token?: string },
  ): Promise<Decided | "conflict"> => {
    const found = await get({ scope, key: resolvedKey(id) });
    if (found === undefined) {
      // It may have been opened again since it was looked for among the unresolved ones.
      const reopened = await get({ scope, key: unresolvedKey(hash) });
      return reopened?.item.id === id && !isExpired(reopened.item, now) ? "conflict" : notFound;
    }
    if (isExpired(found.item, now)) return notFound;
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
      const item = {
        ...alert,
        eventIds: eventIds.length > 0 ? eventIds : undefined,
        metadata: metadata && encodeJson(metadata),
        ...statusEntry(scope, "open", alert),
        ...outboxEntry(hash, at),
        scope,
        key: unresolvedKey(hash),
        token,
        ttl: expiryOf(alert.lastSeen, retentionDays),
      };
      // The alert's id follows from the request, so an item under one of its two keys was stored by this request.
      const isMissing = { condition: "attribute_not_exists(#scope)" };
      if (isKeyed) {
        const resolved = { scope, key: resolvedKey(alert.id) };
        await transact(table, [putPart(table, item, isMissing), checkPart(table, resolved, isMissing)]);
      } else {
        await putItem(table, item, isMissing);
      }
    },

    /**
     * Acknowledges an open alert: one conditional write, and a read if its condition fails. If the alert was assigned or
     * commented on later than `now`, a second write has a time after that.
     */
    async acknowledge(
      organizationId: string,
      id: string,
      { by, now, token = newRequestToken() }: Decision,
    ): Promise<Decided> {
      const hash = hashOfAlertId(id);
      if (hash === undefined) return notFound;
      const scope = organizationKey(organizationId);
      let at = now;
      return retryOnConflict(async () => {
        const { isHeld, written, item } = await updateItem(
          table,
          { scope, key: unresolvedKey(hash) },
          {
            set: {
              status: "acknowledged",
              acknowledgedAt: at,
              acknowledgedBy: by,
              token,
              statusKey: statusKey(scope, "acknowledged"),
              outboxChange: "acknowledged",
            },
            setOnce: outboxEntry(hash, now),
            add: { revision: 1 },
            condition: [
              "#id = :id AND #status = :open AND #ttl > :seconds",
              "(attribute_not_exists(#assignedAt) OR #assignedAt < :at)",
              "(attribute_not_exists(#commentedAt) OR #commentedAt < :at)",
              "(attribute_not_exists(#reopenedAt) OR #reopenedAt < :at)",
            ].join(" AND "),
            values: { id, open: "open", seconds: Math.floor(now / 1000), at },
            returns: "after",
            whileHeld: "refuse",
          },
        );
        if (isHeld) return "conflict";
        const alert = parseRejected(item);
        if (alert?.id !== id) return lookUpResolved(scope, { id, hash, now });
        if (written) return changed(alert);
        if (isExpired(alert, now)) return notFound;
        // An earlier attempt of this request may have acknowledged the alert and lost its answer.
        if (alert.token === token) return changed(alert);
        if (alert.status !== "open") return unchanged;
        // The history has the order of commits. It lists an acknowledgement before another change of the same time.
        at = timeOfCommit(alert, at) + 1;
        return "conflict";
      });
    },

    /**
     * Resolves an alert: a read, and a transaction that moves the alert from its hash to its id. From then on the same
     * trigger raises a new alert. alert-reopening-store.ts opens it again.
     */
    async resolve(
      organizationId: string,
      id: string,
      { by, now, token = newRequestToken(), cause }: Resolution,
    ): Promise<Decided> {
      const hash = hashOfAlertId(id);
      if (hash === undefined) return notFound;
      const scope = organizationKey(organizationId);
      const key = { scope, key: unresolvedKey(hash) };
      return retryOnConflict(async () => {
        const found = await get(key);
        if (found === undefined || found.item.id !== id) return lookUpResolved(scope, { id, hash, now, token });
        const { item, stored } = found;
        if (isExpired(item, now)) return notFound;
        const moved = {
          ...stored,
          scope,
          key: resolvedKey(id),
          status: "resolved",
          resolvedAt: timeOfCommit(item, now),
          ...definedFields({ resolvedBy: by, cause }),
          token,
          revision: item.revision + 1,
          ttl: expiryOf(item.lastSeen, retentionDays),
          ...statusEntry(scope, "resolved", item),
          ...outboxEntry(hash, now),
          outboxChange: "resolved",
        };
        const isAsRead = "#id = :id AND #revision = :revision";
        const failed = await transactOnce(table, [
          deletePart(table, key, { condition: isAsRead, values: { id, revision: item.revision } }),
          putPart(table, moved),
        ]);
        return failed?.size === 0 ? changed(parseAlertItem(moved)) : "conflict";
      });
    },

    /** The id of the unresolved alert of a rule and subject; undefined if there is none. A read unit per 4 KB. */
    async findUnresolved(organizationId: string, { kind, rule, subject }: AlertCause): Promise<string | undefined> {
      const key = unresolvedKey(alertHash(kind, rule, subject));
      return (await get({ scope: organizationKey(organizationId), key }))?.item.id;
    },
  };
};
