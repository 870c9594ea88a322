import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { getItem, type Table, updateItem } from "../../runtime/table.ts";
import { queryPage } from "../../runtime/table-query.ts";
import { putPart, transactOnce, updatePart } from "../../runtime/table-transaction.ts";
import { organizationKey } from "../../terms/keys.ts";
import { eventId, identityOf } from "../event-id.ts";
import type { Alert } from "./alert.ts";
import { type Decided, type Decision, retryOnConflict } from "./alert-decision-store.ts";
import { toAlert } from "./alert-item.ts";
import {
  areNotesExpiring,
  isUnchangedBy,
  MAX_NOTES,
  type NewNote,
  newNoteItem,
  noteEffects,
  noteKey,
  notesExpiry,
  notesOfAlert,
  parseNoteItem,
  type StoredNote,
  timeOfCommit,
} from "./alert-note.ts";
import { findAlert } from "./alert-store.ts";

const WRITES_AT_ONCE = 8;

const NoteKey = z.object({ key: z.string() });

export type AlertNoteStore = ReturnType<typeof createAlertNoteStore>;

/**
 * Assigns alerts and comments on them, and lists these notes (alert-note.ts).
 * All calls throw DomainError `store_unavailable` if the table does not answer, or if other writes keep interfering.
 */
export const createAlertNoteStore = (table: Table<"securityAlerts">) => {
  /** All notes of an alert, by time, read strongly consistent: a read unit per 4 KB. */
  const readNotes = async (scope: string, alertId: string) => {
    const query = {
      where: "#scope = :scope AND begins_with(#key, :notes)",
      values: { scope, notes: notesOfAlert(alertId) },
      isConsistent: true,
    };
    return (await queryPage(table, query, MAX_NOTES)).items;
  };

  return {
    /**
     * Stores a note, and changes its alert: a read, and a transaction. The same request again changes nothing and has the
     * same outcome. Unchanged: the alert is assigned like that already, is resolved and so not assigned any more, or takes
     * no more notes of the kind.
     */
    async add(
      organizationId: string,
      id: string,
      added: NewNote,
      { by, now, token = newRequestToken() }: Decision,
    ): Promise<Decided> {
      const scope = organizationKey(organizationId);
      const noteId = eventId(now, identityOf("note", id, token));
      const { change, ...said } = added;
      const note = { id: noteId, by, ...said };
      let isStored = false;
      return retryOnConflict(async () => {
        const found = await findAlert(table, { scope, id, now });
        if (found === undefined) return { outcome: "notFound" };
        const { key, item } = found;
        if (!isStored && isUnchangedBy(added, item)) {
          // An earlier attempt of this request may have stored the note.
          isStored = (await getItem(table, { scope, key: noteKey(id, noteId) })) !== undefined;
          if (!isStored) return { outcome: "unchanged" };
        }
        if (isStored) return { outcome: "changed", alert: toAlert(item), note };
        const at = timeOfCommit(item, now);
        const effects = noteEffects(item, added, { by, at });
        const next = { ...item, ...effects };
        const failed = await transactOnce(table, [
          updatePart(
            table,
            { scope, key },
            {
              set: definedFields(effects),
              remove: added.change === "assigned" && added.assignee === null ? ["assignee"] : [],
              condition: "#id = :id AND #revision = :revision",
              values: { id, revision: item.revision },
            },
          ),
          putPart(table, newNoteItem(scope, item, { change, at, revision: next.revision, note }), {
            condition: "attribute_not_exists(#scope)",
          }),
        ]);
        if (failed?.size === 0) return { outcome: "changed", alert: toAlert(next), note };
        isStored = failed?.has(1) ?? false;
        return "conflict";
      });
    },

    /** The notes of an alert, oldest first; a read unit per 4 KB. */
    async list(organizationId: string, alertId: string): Promise<StoredNote[]> {
      const items = await readNotes(organizationKey(organizationId), alertId);
      return items.map(parseNoteItem).sort((one, other) => one.at - other.at || one.revision - other.revision);
    },

    /**
     * Defers the expiry of an alert's notes, because the alert was repeated since. A write per note.
     * @param now epoch ms.
     */
    async renew(organizationId: string, { id }: Pick<Alert, "id">, now: number): Promise<void> {
      const scope = organizationKey(organizationId);
      const found = await findAlert(table, { scope, id, now });
      if (found === undefined || !areNotesExpiring(found.item)) return;
      const until = notesExpiry(found.item);
      const extend = (attribute: "ttl" | "notesUntil") => ({
        set: { [attribute]: until },
        condition: `#${attribute} < :until`,
        values: { until },
      });
      const notes = (await readNotes(scope, id)).map((item) => NoteKey.parse(item).key);
      await inParallel(
        notes,
        WRITES_AT_ONCE,
        async (key) => void (await updateItem(table, { scope, key }, extend("ttl"))),
      );
      // A transaction that changes the alert leaves the attribute as it is; the next sweep sets it.
      await updateItem(table, { scope, key: found.key }, { ...extend("notesUntil"), whileHeld: "refuse" });
    },
  };
};
