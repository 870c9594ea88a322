import * as z from "zod";
import { type ObjectOf, type ObjectType, StoredObject } from "../objects/objects.ts";
import type { Database } from "./database.ts";
import { type PageRequest, readPage } from "./read-page.ts";

const State = z.object({ state: z.string() });
const parse = (row: unknown): StoredObject => StoredObject.parse(JSON.parse(State.parse(row).state));

/** The object that a list can be filtered by in addition to the customer: a subscription's invoices, a payment's charges. */
const parentOf = (object: StoredObject): string | null => {
  switch (object.object) {
    case "invoice":
      return object.subscription;
    case "charge":
    case "refund":
    case "dispute":
      return object.paymentIntent;
    case "invoice_payment":
      return object.invoice;
    default:
      return null;
  }
};

const columnsOf = (account: number, object: StoredObject) => ({
  account,
  type: object.object,
  id: object.id,
  created: object.created,
  deleted: Number(object.deleted),
  status: "status" in object ? object.status : null,
  customer: "customer" in object ? object.customer : null,
  parent: parentOf(object),
  state: JSON.stringify(object),
});

/** The objects of all accounts; `account` is the simulator's own number of an account. */
export const openObjectTable = (database: Database) => ({
  /** Adds or replaces an object. Its position among the objects of the same second stays. */
  put: (account: number, object: StoredObject) =>
    void database
      .statement(
        `INSERT INTO objects (account, type, id, created, deleted, status, customer, parent, state)
         VALUES (:account, :type, :id, :created, :deleted, :status, :customer, :parent, :state)
         ON CONFLICT (account, id) DO UPDATE SET created = excluded.created, deleted = excluded.deleted,
         status = excluded.status, customer = excluded.customer, parent = excluded.parent, state = excluded.state`,
      )
      .run(columnsOf(account, object)),
  find(account: number, id: string): StoredObject | undefined {
    const row = database.statement("SELECT state FROM objects WHERE account = ? AND id = ?").get(account, id);
    return row === undefined ? undefined : parse(row);
  },
  /** A page of a list, newest first, without deleted objects. */
  page: (request: PageRequest): { objects: StoredObject[]; hasMore: boolean } => {
    const { rows, hasMore } = readPage(database, "objects", request);
    return { objects: rows.map(parse), hasMore };
  },
  /** The first undeleted object of the type, of these states and at or after that time, oldest first. */
  firstSince<Type extends ObjectType>(
    account: number,
    type: Type,
    wanted: { statuses?: readonly string[]; since: number },
  ): ObjectOf<Type> | undefined {
    const { statuses, since } = wanted;
    const narrowed = statuses === undefined ? "" : `AND status IN (${statuses.map(() => "?").join()})`;
    const row = database
      .statement(
        `SELECT state FROM objects WHERE account = ? AND type = ? AND created >= ? AND deleted = 0 ${narrowed}
         ORDER BY created, position LIMIT 1`,
      )
      .get(account, type, since, ...(statuses ?? []));
    return row === undefined ? undefined : (parse(row) as ObjectOf<Type>);
  },
  /** When the oldest and the newest were created. */
  span(account: number, type: ObjectType): { first: number; last: number } {
    const row = database
      .statement(
        // Two queries, because the index answers one bound without a scan, but not both in one query.
        `SELECT coalesce((SELECT min(created) FROM objects WHERE account = :account AND type = :type), 0) AS first,
         coalesce((SELECT max(created) FROM objects WHERE account = :account AND type = :type), 0) AS last`,
      )
      .get({ account, type });
    return z.object({ first: z.int(), last: z.int() }).parse(row);
  },
  /** The number of objects of each type, without deleted objects. */
  counts: (account: number): Record<string, number> =>
    Object.fromEntries(
      z
        .array(z.object({ type: z.string(), n: z.int() }))
        .parse(
          database
            .statement("SELECT type, count(*) AS n FROM objects WHERE account = ? AND deleted = 0 GROUP BY type")
            .all(account),
        )
        .map(({ type, n }) => [type, n]),
    ),
});
