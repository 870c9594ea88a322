import { DomainError } from "../../runtime/domain-error.ts";
import { getItem, type Table } from "../../runtime/table.ts";
import type { Item } from "../../runtime/table-expressions.ts";
import { queryFilteredPage, queryPage } from "../../runtime/table-query.ts";
import { organizationKey } from "../../terms/keys.ts";
import { ALERTS_BY_STATUS } from "../../terms/tables.ts";
import type { SecurityEvent } from "../security-event.ts";
import { type Alert, type AlertPosition, type AlertStatus, alertStatuses, EVENT_RULE } from "./alert.ts";
import { type AlertCounts, COUNTED_ATTRIBUTES, countAlerts, MAX_COUNTED_ALERTS } from "./alert-counts.ts";
import {
  type AlertItem,
  alertHash,
  hashOfAlertId,
  isExpired,
  listKey,
  parseAlertItem,
  positionOfListKey,
  resolvedKey,
  statusKey,
  toAlert,
  UNRESOLVED,
  UNRESOLVED_FINDINGS,
  unresolvedKey,
} from "./alert-item.ts";
import { subjectOfEvent } from "./event-title.ts";

type ListOptions = {
  status?: AlertStatus | undefined;
  /** Only alerts that are assigned to this user. */
  assignee?: string | undefined;
  limit: number;
  after: AlertPosition | undefined;
  /** Epoch ms. */
  now: number;
};

/** A call reads 1 MB. A list of all three statuses shares what a request may read. */
const CALLS_FOR_ONE_STATUS = 4;
const CALLS_PER_STATUS = 1;

/** A list of one assignee reads what it filters out: 4 MB in all, in units of 8 KB. */
const UNITS_FOR_ONE_STATUS = 512;
const UNITS_PER_STATUS = 170;

/** The most unresolved findings to read. There is one per rule and subject, so mostly a few. */
const MAX_FINDINGS = 1_000;

const listKeyOf = (item: Readonly<Record<string, unknown>> | undefined): string | undefined =>
  item && String(item[ALERTS_BY_STATUS.sortKey]);

const newestFirst = (a: Pick<Alert, "firstSeen" | "id">, b: Pick<Alert, "firstSeen" | "id">) =>
  listKey(a) < listKey(b) ? 1 : -1;

/**
 * An organization's alert, its sort key and its item as stored, read strongly consistent; undefined if it is unknown or expired. A read unit
 * per 4 KB, two reads if it is resolved, three if it is unknown.
 * @param of.scope of the organization; `now` epoch ms.
 * @throws DomainError `store_unavailable`.
 */
export const findAlert = async (
  table: Table<"securityAlerts">,
  { scope, id, now }: { scope: string; id: string; now: number },
): Promise<{ key: string; item: AlertItem; stored: Item } | undefined> => {
  const hash = hashOfAlertId(id);
  if (hash === undefined) return undefined;
  // The last read finds an alert that was opened again between the first two.
  for (const key of [unresolvedKey(hash), resolvedKey(id), unresolvedKey(hash)]) {
    const stored = await getItem(table, { scope, key });
    const item = stored && parseAlertItem(stored);
    if (stored !== undefined && item?.id === id) return isExpired(item, now) ? undefined : { key, item, stored };
  }
  return undefined;
};

export type AlertStore = ReturnType<typeof createAlertStore>;

/**
 * Lists alerts. Partition key `scope`, sort key `key` (alert-item.ts). Index `byStatus` (`statusKey`, `listKey`, all
 * attributes) serves the lists. Other stores of the table: alert-raising-store.ts and alert-decision-store.ts write
 * alerts, alert-note-store.ts assignments and comments, alert-outbox-store.ts lists unpublished changes.
 * All calls throw DomainError `store_unavailable` if the table does not answer.
 */
export const createAlertStore = (table: Table<"securityAlerts">) => {
  /** A status's alerts after a position. `end`: the list key up to which they were read if there may be more. */
  const readStatus = async (scope: string, status: AlertStatus, options: ListOptions) => {
    const { status: asked, assignee, after, limit } = options;
    const query = {
      index: ALERTS_BY_STATUS,
      where: after ? "#statusKey = :status AND #listKey < :after" : "#statusKey = :status",
      values: { status: statusKey(scope, status), ...(after && { after: listKey(after) }) },
      isDescending: true,
    };
    if (assignee === undefined) {
      const calls = asked === undefined ? CALLS_PER_STATUS : CALLS_FOR_ONE_STATUS;
      const page = await queryPage(table, query, limit, calls);
      return { items: page.items.map(parseAlertItem), end: page.hasMore ? listKeyOf(page.items.at(-1)) : undefined };
    }
    const filtered = { ...query, filter: "#assignee = :assignee", values: { ...query.values, assignee } };
    const units = asked === undefined ? UNITS_PER_STATUS : UNITS_FOR_ONE_STATUS;
    const { items, last } = await queryFilteredPage(table, filtered, limit, units);
    return { items: items.map(parseAlertItem), end: listKeyOf(last) };
  };

  return {
    /**
     * A page of an organization's alerts, newest firstSeen first. Half a read unit per 4 KB; without a status, three
     * parallel queries. Reads at most 4 MB, so a page may be shorter than `limit` and still have a next page; with an
     * assignee, it may be empty and have one. May lag by a second.
     */
    async list(organizationId: string, options: ListOptions) {
      const scope = organizationKey(organizationId);
      const statuses = options.status === undefined ? alertStatuses : [options.status];
      const parts = await Promise.all(statuses.map((status) => readStatus(scope, status, options)));
      const [end] = parts
        .flatMap((part) => part.end ?? [])
        .sort()
        .reverse();
      const complete = parts
        .flatMap(({ items }) => items)
        .sort(newestFirst)
        // Below the first status's end, its unread alerts may come before those of other statuses.
        .filter((item) => end === undefined || listKey(item) >= end);
      const page = complete.slice(0, options.limit);
      const last = page.at(-1);
      const next = complete.length > page.length && last !== undefined ? listKey(last) : end;
      return {
        items: page.filter((item) => !isExpired(item, options.now)).map(toAlert),
        next: next === undefined ? undefined : positionOfListKey(next),
      };
    },

    /**
     * An organization's alert; a read unit per 4 KB, two if it is resolved.
     * @throws DomainError `alert_not_found` if it is unknown or expired
     */
    async get(organizationId: string, id: string, now: number): Promise<Alert> {
      const found = await findAlert(table, { scope: organizationKey(organizationId), id, now });
      if (found === undefined) throw new DomainError("alert_not_found", "There is no such alert.");
      return toAlert(found.item);
    },

    /**
     * The unresolved alert that an event at or above ALERT_THRESHOLD raised or repeated; undefined if there is none, or no
     * longer. A read unit per 4 KB.
     */
    async getRaisedBy(organizationId: string, event: SecurityEvent, now: number): Promise<Alert | undefined> {
      const key = unresolvedKey(alertHash("event", EVENT_RULE, subjectOfEvent(event)));
      const stored = await getItem(table, { scope: organizationKey(organizationId), key });
      const item = stored && parseAlertItem(stored);
      if (item === undefined || isExpired(item, now)) return undefined;
      return item.firstSeen <= event.timestamp && event.timestamp <= item.lastSeen ? toAlert(item) : undefined;
    },

    /** How many alerts are unresolved. Half a read unit for each 4 KB of the first 1,000 of them, and at most 4 MB. */
    async countUnresolved(organizationId: string, now: number): Promise<AlertCounts> {
      const query = {
        where: "#scope = :scope AND begins_with(#key, :unresolved)",
        values: { scope: organizationKey(organizationId), unresolved: UNRESOLVED },
        attributes: COUNTED_ATTRIBUTES,
      };
      const { items, hasMore } = await queryPage(table, query, MAX_COUNTED_ALERTS);
      return countAlerts(items, hasMore, now);
    },

    /** An organization's unresolved findings, newest firstSeen first; at most 1,000, and 4 MB. */
    async listUnresolvedFindings(organizationId: string, now: number): Promise<Alert[]> {
      const query = {
        where: "#scope = :scope AND begins_with(#key, :findings)",
        values: { scope: organizationKey(organizationId), findings: UNRESOLVED_FINDINGS },
      };
      const { items } = await queryPage(table, query, MAX_FINDINGS);
      const unexpired = items.map(parseAlertItem).filter((item) => !isExpired(item, now));
      return unexpired.map(toAlert).sort(newestFirst);
    },
  };
};
