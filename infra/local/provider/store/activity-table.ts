import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import type { AccountRow } from "./account-table.ts";
import type { Database } from "./database.ts";

/** Who did it: a user by the e-mail address, a key by its id, or neither. */
const Actor = z.strictObject({
  type: z.string().default("user"),
  email: z.string().optional(),
  apiKeyId: z.string().optional(),
});

const Entry = z.object({ type: z.string(), actor: Actor, details: z.record(z.string(), z.unknown()) });
export type ActivityEntry = z.output<typeof Entry>;

/** What the control server takes. `listedAfterMs`: how much later than it occurred the entry is shown. Times: epoch ms. */
export const NewActivity = z.strictObject({
  accountId: z.string().optional(),
  type: z.string().min(1),
  occurredAt: z.int().min(0).optional(),
  listedAfterMs: z.int().min(0).max(3_600_000).default(0),
  actor: Actor.default({ type: "user", email: "owner@example.com" }),
  details: z.record(z.string(), z.unknown()).default({}),
});

const Row = z.object({ position: z.int(), id: z.string(), created: z.int(), entry: z.string() });

/** The id of the account's only key, which is not the key. */
export const apiKeyIdOf = ({ api_key }: AccountRow): string =>
  `mk_1${createHash("sha256").update(api_key).digest("hex").slice(0, 24)}`;

/** An entry as the list shows it. */
const render = (account: AccountRow, { id, created, entry }: z.output<typeof Row>) => {
  const { type, actor, details } = Entry.parse(JSON.parse(entry));
  return {
    id,
    object: "v2.iam.activity_log",
    created: new Date(created).toISOString(),
    type,
    livemode: false,
    context: account.account_id,
    actor: {
      type: actor.type,
      ...(actor.email !== undefined && { user: { email: actor.email } }),
      ...(actor.apiKeyId !== undefined && { api_key: { id: actor.apiKeyId } }),
    },
    details,
  };
};

/** The log of each account's activity. Times in epoch ms. */
export const openActivityTable = (database: Database) => ({
  /** @param times when it occurred, and since when the list shows it. @returns its id. */
  insert(account: AccountRow, entry: ActivityEntry, times: { occurredAt: number; listedAt: number }): string {
    const id = `accact_1${randomBytes(12).toString("hex")}`;
    database
      .statement("INSERT INTO activity (account, id, created, listed_at, entry) VALUES (?, ?, ?, ?, ?)")
      .run(account.id, id, times.occurredAt, times.listedAt, JSON.stringify(entry));
    return id;
  },

  /** A page of what the list shows, newest first. @param page.after the position of the page before. */
  page(
    account: AccountRow,
    page: { since: number; now: number; after?: [created: number, position: number]; limit: number },
  ) {
    const { since, now, after = [Number.MAX_SAFE_INTEGER, 0], limit } = page;
    const rows = database
      .statement(
        `SELECT position, id, created, entry FROM activity
         WHERE account = ? AND created >= ? AND listed_at <= ? AND (created, position) < (?, ?)
         ORDER BY created DESC, position DESC LIMIT ?`,
      )
      .all(account.id, since, now, ...after, limit + 1)
      .map((row) => Row.parse(row));
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      data: shown.map((row) => render(account, row)),
      next: rows.length > limit && last !== undefined ? ([last.created, last.position] as const) : undefined,
    };
  },
});
