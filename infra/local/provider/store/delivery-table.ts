import * as z from "zod";
import type { Database } from "./database.ts";

const Row = z.object({
  id: z.int(),
  account: z.int(),
  event: z.string(),
  queued_at: z.int(),
  due_at: z.int(),
  attempts: z.int(),
  problem: z.string().nullable(),
  to_platform: z.int(),
});

/**
 * An event that is still to be delivered, to the account's endpoint or to the platform's; times in epoch milliseconds,
 * `problem` is that of the last attempt.
 */
export type Delivery = z.output<typeof Row>;

const Count = z.object({ n: z.int() });
const parse = (rows: unknown[]): Delivery[] => rows.map((row) => Row.parse(row));

/** The pending deliveries of webhooks. A row is deleted when its event was delivered or given up. */
export const openDeliveryTable = (database: Database) => ({
  insert: (account: number, event: string, queuedAt: number, dueAt: number, { toPlatform = false } = {}) =>
    void database
      .statement("INSERT INTO deliveries (account, event, queued_at, due_at, to_platform) VALUES (?, ?, ?, ?, ?)")
      .run(account, event, queuedAt, dueAt, toPlatform ? 1 : 0),
  due: (nowMs: number, limit: number): Delivery[] =>
    parse(
      database.statement("SELECT * FROM deliveries WHERE due_at <= ? ORDER BY due_at, id LIMIT ?").all(nowMs, limit),
    ),
  list: (limit: number): Delivery[] =>
    parse(database.statement("SELECT * FROM deliveries ORDER BY due_at, id LIMIT ?").all(limit)),
  nextDueAt: (afterMs: number): number | undefined =>
    z
      .object({ at: z.int().nullable() })
      .parse(database.statement("SELECT min(due_at) AS at FROM deliveries WHERE due_at > ?").get(afterMs)).at ??
    undefined,
  /** Makes all pending deliveries due, of one account or of all accounts. */
  hasten: (nowMs: number, account: number | null = null) =>
    void database
      .statement("UPDATE deliveries SET due_at = :now WHERE due_at > :now AND account = coalesce(:account, account)")
      .run({ now: nowMs, account }),
  postpone: (id: number, dueAt: number, problem: string) =>
    void database
      .statement("UPDATE deliveries SET due_at = ?, attempts = attempts + 1, problem = ? WHERE id = ?")
      .run(dueAt, problem, id),
  remove: (id: number) => void database.statement("DELETE FROM deliveries WHERE id = ?").run(id),
  /** Those to the account's own endpoint. */
  removeAllOf: (account: number) =>
    void database.statement("DELETE FROM deliveries WHERE account = ? AND to_platform = 0").run(account),
  count: (): number => Count.parse(database.statement("SELECT count(*) AS n FROM deliveries").get()).n,
});

export type DeliveryTable = ReturnType<typeof openDeliveryTable>;
