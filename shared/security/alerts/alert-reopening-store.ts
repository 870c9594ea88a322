import { definedFields } from "../../json/defined-fields.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { getItem, type Table } from "../../runtime/table.ts";
import type { Item } from "../../runtime/table-expressions.ts";
import { deletePart, putPart, transactOnce } from "../../runtime/table-transaction.ts";
import { organizationKey } from "../../terms/keys.ts";
import { eventId, identityOf } from "../event-id.ts";
import { type Decided, type Decision, retryOnConflict } from "./alert-decision-store.ts";
import {
  type AlertItem,
  hashOfAlertId,
  isExpired,
  parseAlertItem,
  resolvedKey,
  statusEntry,
  toAlert,
  unresolvedKey,
} from "./alert-item.ts";
import { MAX_REOPENINGS, newNoteItem, notesExpiry, publishedNoteItem, timeOfCommit } from "./alert-note.ts";
import { findAlert } from "./alert-store.ts";

const READS_AT_ONCE = 10;

const superseded = () =>
  new DomainError("alert_superseded", "A newer alert of the same rule and subject is not resolved yet.");

/** What a resolved alert has and an open one has not; and the outbox's, because the reopening's note is published. */
const LEFT = new Set([
  "acknowledgedAt",
  "acknowledgedBy",
  "resolvedAt",
  "resolvedBy",
  "cause",
  "outboxShard",
  "outboxAt",
  "outboxChange",
]);

type Reopening = { by: string; at: number; token: string };

/** The item of an alert that is opened again. */
const reopenedItem = (scope: string, stored: Item, { by, at, token }: Reopening) => {
  const resolved = parseAlertItem(stored);
  return {
    ...Object.fromEntries(Object.entries(stored).filter(([name]) => !LEFT.has(name))),
    scope,
    key: unresolvedKey(hashOfAlertId(resolved.id) ?? ""),
    status: "open",
    reopenings: (resolved.reopenings ?? 0) + 1,
    reopenedAt: at,
    reopenedBy: by,
    token,
    revision: resolved.revision + 1,
    notesUntil: resolved.notesUntil ?? notesExpiry(resolved),
    ...statusEntry(scope, "open", resolved),
  };
};

/** The decisions that a reopening takes back, as notes. Revision 0 is before a comment of the same millisecond. */
const decisionsOf = (
  { acknowledgedAt, acknowledgedBy, resolvedAt, resolvedBy, cause }: AlertItem,
  noteIdOf: (change: string, at: number) => string,
) => {
  const decided = (change: "acknowledged" | "resolved", at: number | undefined, by: string | undefined) =>
    at === undefined ? [] : [{ change, at, revision: 0, note: { id: noteIdOf(change, at), ...definedFields({ by }) } }];
  const resolutions = decided("resolved", resolvedAt, resolvedBy);
  return [
    ...decided("acknowledged", acknowledgedAt, acknowledgedBy),
    ...resolutions.map((one) => ({ ...one, ...definedFields({ cause }) })),
  ];
};

export type AlertReopeningStore = ReturnType<typeof createAlertReopeningStore>;

/**
 * Opens resolved alerts again. The history keeps the decisions that a reopening takes back, as notes (alert-note.ts).
 * All calls throw DomainError `store_unavailable` if the table does not answer, or if other writes keep interfering.
 */
export const createAlertReopeningStore = (table: Table<"securityAlerts">) => {
  const read = async (scope: string, key: string): Promise<AlertItem | undefined> => {
    const stored = await getItem(table, { scope, key });
    return stored && parseAlertItem(stored);
  };

  /** The hash of a resolved alert; undefined for any other. */
  const hashToReopen = async (scope: string, id: string, now: number): Promise<string | undefined> => {
    const hash = hashOfAlertId(id);
    if (hash === undefined) return undefined;
    const [resolved, unresolved] = await Promise.all([read(scope, resolvedKey(id)), read(scope, unresolvedKey(hash))]);
    if (resolved === undefined || isExpired(resolved, now)) return undefined;
    if (unresolved !== undefined && unresolved.id !== id && !isExpired(unresolved, now)) throw superseded();
    return hash;
  };

  return {
    /**
     * Makes sure that each alert may be opened again: a newer alert of its rule and subject must be resolved, and no two of
     * the alerts may have the same rule and subject. Two reads per alert.
     * @param now epoch ms.
     * @throws DomainError `alert_superseded`.
     */
    async requireReopenable(organizationId: string, ids: readonly string[], now: number): Promise<void> {
      const scope = organizationKey(organizationId);
      const hashes = new Set<string>();
      await inParallel(new Set(ids), READS_AT_ONCE, async (id) => {
        const hash = await hashToReopen(scope, id, now);
        if (hash === undefined) return;
        if (hashes.has(hash)) throw superseded();
        hashes.add(hash);
      });
    },

    /**
     * Opens a resolved alert again: a read, and a transaction that moves the alert from its id to its hash. Unchanged: the
     * alert is not resolved, or was opened again 100 times.
     * @throws DomainError `alert_superseded` if a newer alert of its rule and subject was raised and is not resolved yet.
     */
    async reopen(
      organizationId: string,
      id: string,
      { by, now, token = newRequestToken() }: Decision,
    ): Promise<Decided> {
      const scope = organizationKey(organizationId);
      const noteIdOf = (what: string, at: number) => eventId(at, identityOf("note", id, `${what} ${token}`));
      return retryOnConflict(async () => {
        const found = await findAlert(table, { scope, id, now });
        if (found === undefined) return { outcome: "notFound" };
        const { item, key, stored } = found;
        const note = { id: noteIdOf("reopened", now), by };
        if (item.status !== "resolved") {
          // An earlier attempt of this request may have opened the alert again.
          return item.token === token ? { outcome: "changed", alert: toAlert(item), note } : { outcome: "unchanged" };
        }
        if ((item.reopenings ?? 0) >= MAX_REOPENINGS) return { outcome: "unchanged" };
        const at = timeOfCommit(item, now);
        const reopened = reopenedItem(scope, stored, { by, at, token });
        const { revision } = reopened;
        const failed = await transactOnce(table, [
          deletePart(
            table,
            { scope, key },
            { condition: "#revision = :revision", values: { revision: item.revision } },
          ),
          putPart(table, reopened, {
            condition: "attribute_not_exists(#scope) OR #ttl <= :seconds",
            values: { seconds: Math.floor(now / 1_000) },
          }),
          ...decisionsOf(item, noteIdOf).map((one) => putPart(table, publishedNoteItem(scope, item, one))),
          putPart(table, newNoteItem(scope, item, { change: "reopened", at, revision, note })),
        ]);
        if (failed?.size === 0) return { outcome: "changed", alert: toAlert(parseAlertItem(reopened)), note };
        if (failed !== undefined && !failed.has(0)) throw superseded();
        return "conflict";
      });
    },
  };
};
