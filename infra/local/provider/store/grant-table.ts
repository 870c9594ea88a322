import * as z from "zod";
import type { Database } from "./database.ts";

/** The grants of OAuth: a code to exchange, an access token, and a refresh token. */
export type GrantKind = "code" | "access" | "refresh";

const Row = z.object({ account: z.int(), expires_at: z.int() });

/** Codes and tokens in force; `expiresAt` in epoch milliseconds. */
export const openGrantTable = (database: Database) => ({
  insert: (kind: GrantKind, secret: string, account: number, expiresAt: number) =>
    void database
      .statement("INSERT INTO grants (secret, kind, account, expires_at) VALUES (?, ?, ?, ?)")
      .run(secret, kind, account, expiresAt),
  find(kind: GrantKind, secret: string): { account: number; expiresAt: number } | undefined {
    const row = database.statement("SELECT * FROM grants WHERE secret = ? AND kind = ?").get(secret, kind);
    if (row === undefined) return undefined;
    const { account, expires_at } = Row.parse(row);
    return { account, expiresAt: expires_at };
  },
  /** Whether the platform has tokens of the account, in force or not. */
  hasTokens: (account: number): boolean =>
    database.statement("SELECT 1 FROM grants WHERE account = ? AND kind != 'code' LIMIT 1").get(account) !== undefined,
  remove: (secret: string) => void database.statement("DELETE FROM grants WHERE secret = ?").run(secret),
  removeAllOf: (account: number) => void database.statement("DELETE FROM grants WHERE account = ?").run(account),
});
