import * as z from "zod";
import type { Database } from "./database.ts";

const Row = z.object({ request: z.string(), request_id: z.string(), status: z.int(), body: z.string() });

/** The answer to the first request with a key. `request` identifies path and parameters, `body` is JSON. */
export type KeptAnswer = { request: string; requestId: string; status: number; body: string };

/** The answers that are repeated for an `Idempotency-Key`; times in epoch milliseconds. */
export const openIdempotencyTable = (database: Database) => ({
  find(account: number, key: string, sinceMs: number): KeptAnswer | undefined {
    const row = database
      .statement("SELECT * FROM idempotency WHERE account = ? AND key = ? AND created_at > ?")
      .get(account, key, sinceMs);
    if (row === undefined) return undefined;
    const { request_id: requestId, ...answer } = Row.parse(row);
    return { ...answer, requestId };
  },
  /** Keeps an answer unless the key has one. */
  insert: (account: number, key: string, { request, requestId, status, body }: KeptAnswer, nowMs: number) =>
    void database
      .statement(
        `INSERT INTO idempotency (account, key, request, request_id, status, body, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, key) DO NOTHING`,
      )
      .run(account, key, request, requestId, status, body, nowMs),
  removeBefore: (ms: number) => void database.statement("DELETE FROM idempotency WHERE created_at <= ?").run(ms),
});

export type IdempotencyTable = ReturnType<typeof openIdempotencyTable>;
