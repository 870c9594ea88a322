import * as z from "zod";
import type { Database } from "./database.ts";

const Row = z.object({
  id: z.int(),
  account: z.int(),
  event: z.string(),
  endpoint: z.string().nullable(),
  queued_at: z.int(),
  due_at: z.int(),
  attempts: z.int(),
  problem: z.string().nullable(),
  to_platform: z.int(),
});

/**
 * An event that is still to be delivered: to the platform's endpoint, to the registered one with the id `endpoint`, or
 * to the one that the control server sets. Times in epoch milliseconds, `problem` is that of the last attempt.
 */
export type Delivery = z.output<typeof Row>;

const Count = z.object({ n: z.int() });
const parse = (rows: unknown[]): Delivery[] => rows.map((row) => Row.parse(row));

/** The pending deliveries of webhooks. A row is deleted when its event was delivered or given up. */
export const openDeliveryTable = (database: Database) => ({
  insert: (delivery: Pick<Delivery, "account" | "event" | "endpoint" | "to_platform" | "queued_at" | "due_at">) =>
    void database
      .statement(
        `INSERT INTO deliveries (account, event, endpoint, to_platform, queued_at, due_at)
         VALUES (:account, :event, :endpoint, :to_platform, :queued_at, :due_at)`,
      )
      .run(delivery),
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
  /** Those to one endpoint of the account. @param endpoint as in a delivery */
  removeAllOf: (account: number, endpoint: string | null) =>
    void database
      .statement("DELETE FROM deliveries WHERE account = ? AND endpoint IS ? AND to_platform = 0")
      .run(account, endpoint),
  count: (): number => Count.parse(database.statement("SELECT count(*) AS n FROM deliveries").get()).n,
});
