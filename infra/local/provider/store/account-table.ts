import * as z from "zod";
import type { Database } from "./database.ts";

const Row = z.object({
  id: z.int(),
  account_id: z.string(),
  api_key: z.string(),
  name: z.string(),
  country: z.string(),
  currency: z.string(),
  api_version: z.string(),
  created: z.int(),
  changes: z.int(),
});

/** An account: `id` is the simulator's, `account_id` the provider's; `changes` counts the changes of the account. */
export type AccountRow = z.output<typeof Row>;
export type NewAccount = Omit<AccountRow, "id" | "changes">;

const parse = (row: unknown): AccountRow | undefined => (row === undefined ? undefined : Row.parse(row));

/** The accounts. An account is listed only once it is complete. */
export const openAccountTable = (database: Database) => ({
  /** @returns its id. It is seen once it is `ready`. */
  insert(account: NewAccount): number {
    const { lastInsertRowid } = database
      .statement(
        `INSERT INTO accounts (account_id, api_key, name, country, currency, api_version, created)
         VALUES (:account_id, :api_key, :name, :country, :currency, :api_version, :created)`,
      )
      .run(account);
    return Number(lastInsertRowid);
  },
  ready: (id: number) => void database.statement("UPDATE accounts SET ready = 1 WHERE id = ?").run(id),
  /** The number of accounts ever created, including those that were never completed. */
  countAll: (): number =>
    z.object({ n: z.int() }).parse(database.statement("SELECT coalesce(max(id), 0) AS n FROM accounts").get()).n,
  list: (): AccountRow[] =>
    database
      .statement("SELECT * FROM accounts WHERE ready = 1 ORDER BY id")
      .all()
      .map((row) => Row.parse(row)),
  byId: (id: number) => parse(database.statement("SELECT * FROM accounts WHERE ready = 1 AND id = ?").get(id)),
  byAccountId: (accountId: string) =>
    parse(database.statement("SELECT * FROM accounts WHERE ready = 1 AND account_id = ?").get(accountId)),
  byKey: (apiKey: string) =>
    parse(database.statement("SELECT * FROM accounts WHERE ready = 1 AND api_key = ?").get(apiKey)),
  countChange: (id: number) =>
    void database.statement("UPDATE accounts SET changes = changes + 1 WHERE id = ?").run(id),
});
