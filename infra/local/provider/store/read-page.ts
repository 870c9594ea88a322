import type { SQLInputValue } from "node:sqlite";
import * as z from "zod";
import type { Database } from "./database.ts";

/** Bounds on when an object was created, in epoch seconds. */
export type CreatedBounds = Partial<Record<"gt" | "gte" | "lt" | "lte", number>>;

/** A row must have one of these values in a column. The columns are the tables' own, never a client's words. */
export type Condition = { column: string; is: "in" | "not in"; values: readonly (string | number)[] };

export type PageRequest = {
  account: number;
  conditions: readonly Condition[];
  created: CreatedBounds;
  limit: number;
  /** Id of the object after which, or before which, the page is. */
  after?: string;
  before?: string;
};

/** No row has the id from which a page must start. */
export class UnknownCursorError extends Error {}

const OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
const Place = z.object({ created: z.int(), position: z.int() });

/**
 * A page of a table, newest first; within a second, the row that was written last comes first.
 * @throws UnknownCursorError if the object to start from does not exist or was deleted.
 */
export const readPage = (database: Database, table: "objects" | "events", request: PageRequest) => {
  const { account, conditions, created, limit, after, before } = request;
  const clauses = ["account = ?"];
  const values: SQLInputValue[] = [account];
  for (const { column, is, values: wanted } of conditions) {
    clauses.push(`${column} ${is} (${wanted.map(() => "?").join()})`);
    values.push(...wanted);
  }
  for (const [bound, operator] of Object.entries(OPERATORS)) {
    const at = created[bound as keyof typeof OPERATORS];
    if (at === undefined) continue;
    clauses.push(`created ${operator} ?`);
    values.push(at);
  }
  const cursor = after ?? before;
  if (cursor !== undefined) {
    const alive = table === "objects" ? "AND deleted = 0" : "";
    const row = database
      .statement(`SELECT created, position FROM ${table} WHERE account = ? AND id = ? ${alive}`)
      .get(account, cursor);
    if (row === undefined) throw new UnknownCursorError();
    const place = Place.parse(row);
    clauses.push(`(created, position) ${after === undefined ? ">" : "<"} (?, ?)`);
    values.push(place.created, place.position);
  }
  const isBackward = after === undefined && before !== undefined;
  const direction = isBackward ? "ASC" : "DESC";
  const rows = database
    .statement(
      `SELECT * FROM ${table} WHERE ${clauses.join(" AND ")}
       ORDER BY created ${direction}, position ${direction} LIMIT ?`,
    )
    .all(...values, limit + 1);
  const page = rows.slice(0, limit);
  return { rows: isBackward ? page.reverse() : page, hasMore: rows.length > limit };
};
