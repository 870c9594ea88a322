/**
 * Notes: the assignments of an alert, the comments on it, and its reopenings with the decisions that each one took back.
 * Each is an item of its own beside the alert, so that the
 * alert's item stays small; its key begins with the alert's id, so that it stays where it is when the alert is resolved.
 * A note waits in the outbox of alerts until it is published. Pure.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import { type AlertNote, type ResolutionCause, resolutionCauses } from "./alert.ts";
import { type AlertItem, hashOfAlertId, outboxEntry } from "./alert-item.ts";

/** An alert takes at most this many comments and assignments, so that its history can be read at once. */
export const MAX_COMMENTS = 100;
export const MAX_ASSIGNMENTS = 1_000;
export const MAX_REOPENINGS = 100;

/** A reopening has three notes: of itself, of the resolution and of the acknowledgement before. */
export const MAX_NOTES = MAX_COMMENTS + MAX_ASSIGNMENTS + 3 * MAX_REOPENINGS;

/** The prefix of the sort keys of all notes. */
export const NOTE_PREFIX = "note#";

/** The prefix of the sort keys of an alert's notes. */
export const notesOfAlert = (alertId: string): string => `${NOTE_PREFIX}${alertId}#`;

/** @param noteId sorts by time. */
export const noteKey = (alertId: string, noteId: string): string => notesOfAlert(alertId) + noteId;

export const isNoteKey = (key: string): boolean => key.startsWith(NOTE_PREFIX);

/** The alert that the key of a note names. */
export const alertIdOfNote = (key: string): string => key.slice(NOTE_PREFIX.length, key.lastIndexOf("#"));

const DAY_SECONDS = 86_400;

/**
 * When the notes of an alert expire, epoch seconds: a day after the alert. A repetition of the alert defers the alert's
 * expiry but not that of its notes; the sweep of the outbox does that within the hour (alert-note-store.ts).
 */
export const notesExpiry = ({ ttl }: Pick<AlertItem, "ttl">): number => ttl + DAY_SECONDS;

/** Whether notes of an alert expire before the alert. */
export const areNotesExpiring = ({ notesUntil, ttl }: AlertItem): boolean =>
  notesUntil !== undefined && notesUntil < ttl;

/** What an operator notes. */
export type NewNote = { change: "assigned"; assignee: string | null } | { change: "commented"; text: string };

/** `revision`: that of the alert after this change. `cause`: of a resolution that was taken back. */
const NoteItem = z.object({
  key: z.string(),
  change: z.enum(["assigned", "commented", "acknowledged", "resolved", "reopened"]),
  at: z.number(),
  revision: z.number(),
  by: z.optional(z.string()),
  assignee: z.optional(z.nullable(z.string())),
  text: z.optional(z.string()),
  cause: z.optional(z.enum(resolutionCauses)),
  outboxAt: z.optional(z.number()),
});

/** A note as it is stored. `at`: epoch ms; `outboxAt`: since when it waits for publication. */
export type StoredNote = Pick<z.output<typeof NoteItem>, "change" | "at" | "revision" | "outboxAt"> & {
  note: AlertNote;
  cause?: ResolutionCause;
};

export const parseNoteItem = (item: unknown): StoredNote => {
  const { key, change, at, revision, outboxAt, by, assignee, text, cause } = NoteItem.parse(item);
  const id = key.slice(key.lastIndexOf("#") + 1);
  const note = { id, ...definedFields({ by, assignee, text }) };
  return { change, at, revision, outboxAt, note, ...definedFields({ cause }) };
};

type NewStoredNote = Omit<StoredNote, "outboxAt">;

/** The item of a note that was published before, as a change of the alert itself. */
export const publishedNoteItem = (
  scope: string,
  alert: AlertItem,
  { note: { id, ...said }, ...change }: NewStoredNote,
) => ({ scope, key: noteKey(alert.id, id), ttl: notesExpiry(alert), ...change, ...said });

/** The item of a new note, in the outbox. */
export const newNoteItem = (scope: string, alert: AlertItem, note: NewStoredNote) => ({
  ...publishedNoteItem(scope, alert, note),
  ...outboxEntry(hashOfAlertId(alert.id) ?? "", note.at),
});

/**
 * The time of a change that is committed now, epoch ms: not before the alert's other changes. A request that lost a
 * conflict commits after one that began later, and the history is in the order of commits.
 * @param now when the request began.
 */
export const timeOfCommit = (item: AlertItem, now: number): number => {
  const { assignedAt = now, commentedAt = now, acknowledgedAt = now, resolvedAt = now, reopenedAt = now } = item;
  return Math.max(now, assignedAt, commentedAt, acknowledgedAt, resolvedAt, reopenedAt);
};

/** The attributes of an alert that a note changes; undefined removes one. @param at epoch ms. */
export const noteEffects = (item: AlertItem, note: NewNote, { by, at }: { by: string; at: number }) => ({
  ...(note.change === "assigned"
    ? { assignee: note.assignee ?? undefined, assignedAt: at, assignedBy: by, assignments: (item.assignments ?? 0) + 1 }
    : { comments: (item.comments ?? 0) + 1, commentedAt: Math.max(item.commentedAt ?? at, at) }),
  notesUntil: item.notesUntil ?? notesExpiry(item),
  revision: item.revision + 1,
});

/** Whether a note would change nothing, or the alert takes no more of its kind. A resolved alert takes comments only. */
export const isUnchangedBy = (note: NewNote, item: AlertItem): boolean =>
  note.change === "commented"
    ? (item.comments ?? 0) >= MAX_COMMENTS
    : item.status === "resolved" ||
      (item.assignee ?? null) === note.assignee ||
      (item.assignments ?? 0) >= MAX_ASSIGNMENTS;
