import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import * as z from "zod";

const Attributes = z.record(
  z.string(),
  z.object({ DataType: z.string(), StringValue: z.string().optional(), BinaryValue: z.string().optional() }),
);

/** Attributes that senders give a message, as the API has them; binary values in base64. */
export type MessageAttributes = z.infer<typeof Attributes>;

const Row = z.object({
  id: z.string(),
  queue: z.string(),
  body: z.string(),
  attributes: z.string().transform((text) => Attributes.parse(JSON.parse(text))),
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
 * The messages of all queues in `queues.sqlite` of the data directory: what is written outlives a killed process.
 * Statements only; what they mean for a queue is said in queue.ts.
 */
export const openMessageTable = (dataDirectory: string) => {
  const database = new DatabaseSync(join(dataDirectory, "queues.sqlite"));
  // A write survives the end of the process, if not of the machine: enough here, and a tenth of the time.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  database.exec(SCHEMA);
  const insert = database.prepare(
    "INSERT INTO messages (id, queue, body, attributes, sender, sent_at, visible_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
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
  const byReceipt = database.prepare("SELECT * FROM messages WHERE queue = ? AND receipt = ?");
  const hide = database.prepare("UPDATE messages SET visible_at = ? WHERE queue = ? AND receipt = ?");
  const removeReceived = database.prepare("DELETE FROM messages WHERE queue = ? AND receipt = ?");
  const removeOld = database.prepare("DELETE FROM messages WHERE queue = ? AND sent_at <= ?");
  const count = database.prepare(
    `SELECT coalesce(sum(visible_at <= :now), 0) AS visible,
     coalesce(sum(visible_at > :now AND receipt IS NOT NULL), 0) AS inFlight,
     coalesce(sum(visible_at > :now AND receipt IS NULL), 0) AS delayed FROM messages WHERE queue = :queue`,
  );
  const first = database.prepare("SELECT min(visible_at) AS at FROM messages WHERE queue = ? AND visible_at > ?");
  const renew = database.prepare(
    `UPDATE messages SET id = ?, queue = ?, sent_at = ?, visible_at = ?, receive_count = 0, first_received_at = NULL,
     receipt = NULL, dead_letter_source = NULL WHERE id = ?`,
  );
  const Depth = z.object({ visible: z.number(), inFlight: z.number(), delayed: z.number() });

  return {
    insert: (
      message: Pick<StoredMessage, "id" | "queue" | "body" | "sender" | "sent_at" | "visible_at" | "attributes">,
    ) =>
      void insert.run(
        message.id,
        message.queue,
        message.body,
        JSON.stringify(message.attributes),
        message.sender,
        message.sent_at,
        message.visible_at,
      ),
    visible: (queue: string, nowMs: number, limit: number) => visible.all(queue, nowMs, limit).map(parse),
    all: (queue: string, limit: number) => all.all(queue, limit).map(parse),
    receive: (id: string, receipt: string, visibleAt: number, nowMs: number) =>
      void receive.run(receipt, visibleAt, nowMs, id),
    moveToDeadLetters: (id: string, queue: string, nowMs: number, sourceArn: string) =>
      void move.run(queue, nowMs, sourceArn, id),
    /** A message that begins anew in a queue, under another id. */
    renew: (id: string, newId: string, queue: string, nowMs: number) => void renew.run(newId, queue, nowMs, nowMs, id),
    find: (queue: string, receipt: string): StoredMessage | undefined => {
      const row = byReceipt.get(queue, receipt);
      return row && parse(row);
    },
    hideUntil: (queue: string, receipt: string, visibleAt: number) => void hide.run(visibleAt, queue, receipt),
    remove: (queue: string, receipt: string) => void removeReceived.run(queue, receipt),
    /** Removes what was sent at that time or before. */
    removeSentUntil: (queue: string, epochMs: number) => void removeOld.run(queue, epochMs),
    depth: (queue: string, nowMs: number) => Depth.parse(count.get({ queue, now: nowMs })),
    /** When the first of the messages that are hidden now is visible. */
    nextVisibleAfter: (queue: string, nowMs: number): number | undefined =>
      z.object({ at: z.number().nullable() }).parse(first.get(queue, nowMs)).at ?? undefined,
    transaction<T>(work: () => T): T {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    close: () => database.close(),
  };
};

export type MessageTable = ReturnType<typeof openMessageTable>;
