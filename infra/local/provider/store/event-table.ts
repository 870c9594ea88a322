import * as z from "zod";
import type { WireObject } from "../render/render-object.ts";
import type { Database } from "./database.ts";
import { type PageRequest, readPage } from "./read-page.ts";

/** An event at the time when it happened; its data never change. `created` in epoch seconds. */
export type NewEvent = {
  id: string;
  type: string;
  created: number;
  objectId: string;
  apiVersion: string;
  data: { object: WireObject; previous_attributes?: WireObject };
};

const Row = z.object({
  id: z.string(),
  type: z.string(),
  created: z.int(),
  api_version: z.string(),
  data: z.string(),
  undelivered: z.int(),
});

const parse = (row: unknown): WireObject => {
  const { id, type, created, api_version, data, undelivered } = Row.parse(row);
  return {
    id,
    object: "event",
    api_version,
    created,
    data: JSON.parse(data),
    livemode: false,
    pending_webhooks: undelivered,
    request: { id: `req_${id.slice(-14)}`, idempotency_key: null },
    type,
  };
};

/** The time that the event feed covers. */
export const FEED_SECONDS = 30 * 86_400;

/** The event feed of each account, as events look on the wire. */
export const openEventTable = (database: Database) => ({
  insert: (account: number, event: NewEvent) =>
    void database
      .statement(
        `INSERT INTO events (account, id, type, created, api_version, data)
         VALUES (:account, :id, :type, :created, :apiVersion, :data)`,
      )
      .run({
        account,
        id: event.id,
        type: event.type,
        created: event.created,
        apiVersion: event.apiVersion,
        data: JSON.stringify(event.data),
      }),
  find(account: number, id: string): WireObject | undefined {
    const row = database.statement("SELECT * FROM events WHERE account = ? AND id = ?").get(account, id);
    return row === undefined ? undefined : parse(row);
  },
  /** A page of the feed, newest first. */
  page: (request: PageRequest): { objects: WireObject[]; hasMore: boolean } => {
    const { rows, hasMore } = readPage(database, "events", request);
    return { objects: rows.map(parse), hasMore };
  },
  /** Adds to the number of deliveries that have not succeeded yet. */
  addUndelivered: (account: number, id: string, count: number) =>
    void database
      .statement("UPDATE events SET undelivered = max(0, undelivered + ?) WHERE account = ? AND id = ?")
      .run(count, account, id),
  count: (account: number): number =>
    z
      .object({ n: z.int() })
      .parse(database.statement("SELECT count(*) AS n FROM events WHERE account = ?").get(account)).n,
  /** Removes events that are too old for the feed. */
  removeBefore: (account: number, createdSeconds: number) =>
    void database.statement("DELETE FROM events WHERE account = ? AND created < ?").run(account, createdSeconds),
});

export type EventTable = ReturnType<typeof openEventTable>;
