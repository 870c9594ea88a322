import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import * as z from "zod";
import { inTransaction } from "../core/in-transaction.ts";

const Row = z.object({
  id: z.string(),
  queue: z.string(),
  body: z.string(),
  sender: z.string(),
  sent_at: z.number(),
  visible_at: z.number(),
  receive_count: z.number(),
  first_received_at: z.number().nullable(),
  receipt: z.string().nullable(),
  dead_letter_source: z.string().nullable(),
});

/** One message; times in epoch milliseconds, queues by name, `dead_letter_source` by ARN. */
export type StoredMessage = z.infer<typeof Row>;

const Depth = z.object({ visible: z.number(), inFlight: z.number() });
export type Depth = z.infer<typeof Depth>;

const NextVisible = z.object({ at: z.number().nullable() });

/** The column `attributes` is JSON with the group of the message, if it has one. Messages of earlier versions have none. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS messages (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, queue TEXT NOT NULL, body TEXT NOT NULL, attributes TEXT NOT NULL, sender TEXT NOT NULL,
    sent_at INTEGER NOT NULL, visible_at INTEGER NOT NULL, receive_count INTEGER NOT NULL DEFAULT 0,
    first_received_at INTEGER, receipt TEXT, dead_letter_source TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS by_queue ON messages (queue, visible_at, position);
  CREATE INDEX IF NOT EXISTS by_receipt ON messages (receipt);
`;

const parse = (row: Record<string, SQLOutputValue>): StoredMessage => Row.parse(row);

/**
 * The messages of all queues in `queues.sqlite` of the data directory. A write survives a killed process.
 * This file has the statements; queues.ts has their meaning.
 */
export const openMessageTable = (dataDirectory: string) => {
  const database = new DatabaseSync(join(dataDirectory, "queues.sqlite"));
  // NORMAL survives the end of the process but not of the machine: that is enough here, and ten times faster.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  database.exec(SCHEMA);
  const insert = database.prepare(
    "INSERT INTO messages (id, queue, body, attributes, sender, sent_at, visible_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const anyGroup = database.prepare("SELECT 1 FROM messages WHERE queue = ? AND attributes <> '{}' LIMIT 1");
  // Messages of no group are fair to each other; of a group, those in flight have been received and are hidden.
  const fairly = database.prepare(
    `SELECT messages.* FROM messages LEFT JOIN (
       SELECT attributes AS of, count(*) AS busy FROM messages
       WHERE queue = :queue AND visible_at > :now AND receipt IS NOT NULL AND attributes <> '{}' GROUP BY attributes
     ) ON of = attributes
     WHERE queue = :queue AND visible_at <= :now ORDER BY coalesce(busy, 0), position LIMIT :limit`,
  );
  const visible = database.prepare(
    "SELECT * FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY position LIMIT ?",
  );
  const all = database.prepare("SELECT * FROM messages WHERE queue = ? ORDER BY position LIMIT ?");
  const receive = database.prepare(
    `UPDATE messages SET receipt = ?, visible_at = ?, receive_count = receive_count + 1,
     first_received_at = coalesce(first_received_at, ?) WHERE id = ?`,
  );
  const move = database.prepare(
    "UPDATE messages SET queue = ?, visible_at = ?, receipt = NULL, dead_letter_source = ? WHERE id = ?",
  );
  const removeReceived = database.prepare("DELETE FROM messages WHERE queue = ? AND receipt = ?");
  const removeOld = database.prepare("DELETE FROM messages WHERE queue = ? AND sent_at <= ?");
  const count = database.prepare(
    `SELECT coalesce(sum(visible_at <= :now), 0) AS visible, coalesce(sum(visible_at > :now), 0) AS inFlight
     FROM messages WHERE queue = :queue`,
  );
  const first = database.prepare("SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?");
  const changeVisibility = database.prepare(
    "UPDATE messages SET visible_at = ? WHERE queue = ? AND receipt = ? AND visible_at > ?",
  );
  const byReceipt = database.prepare("SELECT * FROM messages WHERE queue = ? AND receipt = ?");
  const renew = database.prepare(
    `UPDATE messages SET id = ?, queue = ?, sent_at = ?, visible_at = ?, receive_count = 0, first_received_at = NULL,
     receipt = NULL, dead_letter_source = NULL WHERE id = ?`,
  );

  return {
    insert: (
      { id, queue, body, sender, visible_at }: Pick<StoredMessage, "id" | "queue" | "body" | "sender" | "visible_at">,
      { nowMs, group }: { nowMs: number; group?: string | undefined },
    ) => void insert.run(id, queue, body, JSON.stringify({ group }), sender, nowMs, visible_at),
    visible: (queue: string, nowMs: number, limit: number) => visible.all(queue, nowMs, limit).map(parse),
    /** First those of the groups of which the fewest are in flight. */
    visibleFairly: (queue: string, nowMs: number, limit: number) =>
      anyGroup.get(queue) === undefined
        ? visible.all(queue, nowMs, limit).map(parse)
        : fairly.all({ queue, now: nowMs, limit }).map(parse),
    all: (queue: string, limit: number) => all.all(queue, limit).map(parse),
    receive: (id: string, receipt: string, visibleAt: number, nowMs: number) =>
      void receive.run(receipt, visibleAt, nowMs, id),
    moveToDeadLetters: (id: string, queue: string, nowMs: number, sourceArn: string) =>
      void move.run(queue, nowMs, sourceArn, id),
    /** Makes a message a new one of a queue, under another id. */
    renew: (id: string, newId: string, queue: string, nowMs: number) => void renew.run(newId, queue, nowMs, nowMs, id),
    /** Changes when a hidden message becomes visible. @returns false if the message is visible already. */
    changeVisibility: (queue: string, receipt: string, visibleAt: number, nowMs: number): boolean =>
      changeVisibility.run(visibleAt, queue, receipt, nowMs).changes !== 0,
    hasReceipt: (queue: string, receipt: string): boolean => byReceipt.get(queue, receipt) !== undefined,
    remove: (queue: string, receipt: string) => void removeReceived.run(queue, receipt),
    /** Removes what was sent at that time or before. */
    removeSentUntil: (queue: string, epochMs: number) => void removeOld.run(queue, epochMs),
    depth: (queue: string, nowMs: number): Depth => Depth.parse(count.get({ queue, now: nowMs })),
    /** When the first of the hidden messages becomes visible. */
    nextVisibleAfter: (queue: string, nowMs: number): number | undefined =>
      NextVisible.parse(first.get(queue, nowMs)).at ?? undefined,
    transaction: <T>(work: () => T): T => inTransaction(database, work),
    close: () => database.close(),
  };
};
