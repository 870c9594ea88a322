import * as z from "zod/mini";
import { inParallel } from "../../runtime/in-parallel.ts";
import { getItem, type Table, updateItem } from "../../runtime/table.ts";
import { organizationIdOf, organizationKey } from "../../terms/keys.ts";
import { listWaiting } from "../../work/sharded-index-store.ts";
import type { ChangedAlert } from "./alert.ts";
import {
  hashOfAlertId,
  isExpired,
  outboxIndex,
  parseAlertItem,
  pendingChange,
  resolvedKey,
  toAlert,
  unresolvedKey,
} from "./alert-item.ts";
import { alertIdOfNote, areNotesExpiring, isNoteKey, noteKey, parseNoteItem } from "./alert-note.ts";
import { findAlert } from "./alert-store.ts";

const READS_AT_ONCE = 8;

/** The attributes that keep an item in the outbox. */
const WAITING = ["outboxShard", "outboxAt", "outboxChange"];

const hasNoNotesToRenew = "(attribute_not_exists(#notesUntil) OR #notesUntil >= #ttl)";

const OutboxEntry = z.object({ scope: z.string(), key: z.string() });
type OutboxEntry = z.output<typeof OutboxEntry>;

/** A change that waits. `hasExpiringNotes`: the alert's notes expire before the alert (alert-note-store.ts, `renew`). */
export type WaitingChange = ChangedAlert & { organizationId: string; hasExpiringNotes: boolean };

export type AlertOutboxStore = ReturnType<typeof createAlertOutboxStore>;

/**
 * The outbox of alerts (work/outbox.ts): the write that changes an alert puts it into index `byOutbox`, and publishing the
 * change removes it. An assignment or a comment puts its note there. Its only right on the table is to update items.
 */
export const createAlertOutboxStore = (table: Table<"securityAlerts">) => ({
  /**
   * Removes a published change from the outbox: a note, or else the alert unless it has changed since, or has notes to
   * renew. One write.
   */
  async remove(organizationId: string, { alert, note }: Pick<ChangedAlert, "alert" | "note">): Promise<void> {
    const { id, revision, status } = alert;
    const scope = organizationKey(organizationId);
    if (note === undefined) {
      const key = status === "resolved" ? resolvedKey(id) : unresolvedKey(hashOfAlertId(id) ?? "");
      await updateItem(
        table,
        { scope, key },
        {
          remove: WAITING,
          condition: `#id = :id AND #revision = :revision AND ${hasNoNotesToRenew}`,
          values: { id, revision },
          // A transaction that holds the alert changes it, so the alert stays in the outbox.
          whileHeld: "refuse",
        },
      );
    } else {
      await updateItem(
        table,
        { scope, key: noteKey(id, note.id) },
        { remove: WAITING, condition: "attribute_exists(#outboxAt)", whileHeld: "refuse" },
      );
    }
  },
});

export type WaitingAlertStore = ReturnType<typeof createWaitingAlertStore>;

/** Lists what waits in the outbox. Apart, because only the sweep needs it. */
export const createWaitingAlertStore = (table: Table<"securityAlerts">) => {
  /** The change of an entry; undefined if it was published or its alert moved or expired since the index was read. */
  const readChange = async ({ scope, key }: OutboxEntry, now: number): Promise<WaitingChange | undefined> => {
    const stored = await getItem(table, { scope, key });
    if (stored?.outboxAt === undefined) return undefined;
    const organizationId = organizationIdOf(scope);
    if (!isNoteKey(key)) {
      const item = parseAlertItem(stored);
      // If the alert was resolved since, it waits under another key.
      if (item.outboxAt === undefined || isExpired(item, now)) return undefined;
      const change = { change: pendingChange(item), at: item.outboxAt };
      return { organizationId, alert: toAlert(item), ...change, hasExpiringNotes: areNotesExpiring(item) };
    }
    const { change, at, note } = parseNoteItem(stored);
    const found = await findAlert(table, { scope, id: alertIdOfNote(key), now });
    if (found === undefined) return undefined;
    const { item } = found;
    return { organizationId, alert: toAlert(item), change, at, note, hasExpiringNotes: areNotesExpiring(item) };
  };

  return {
    /**
     * Changes that have waited since before a time: at most `limit` of each of 8 shards, each shard's oldest first. Half a
     * read unit per shard, and one per change; two or three per note.
     * @param options.before and `now` epoch ms.
     */
    async list({ before, now, limit }: { before: number; now: number; limit: number }): Promise<WaitingChange[]> {
      const entries = await listWaiting(table, outboxIndex, { before, limit });
      const changes: (WaitingChange | undefined)[] = [];
      await inParallel(entries.entries(), READS_AT_ONCE, async ([i, entry]) => {
        changes[i] = await readChange(OutboxEntry.parse(entry), now);
      });
      return changes.filter((change) => change !== undefined);
    },
  };
};
