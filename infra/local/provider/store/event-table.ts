import * as z from "zod";
import type { WireObject } from "../render/render-object.ts";
import type { Database } from "./database.ts";
import { type PageRequest, readPage } from "./read-page.ts";

/** The request to the provider's API that caused an event. */
export type Cause = { requestId: string; idempotencyKey: string | null };

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
  request: z.string().nullable(),
  idempotency_key: z.string().nullable(),
});

const parse = (row: unknown): WireObject => {
  const { id, type, created, api_version, data, undelivered, request, idempotency_key } = Row.parse(row);
  return {
    id,
    object: "event",
    api_version,
    created,
    data: JSON.parse(data),
    livemode: false,
    pending_webhooks: undelivered,
    request: { id: request, idempotency_key },
    type,
  };
};

/** The time that the event feed covers. */
export const FEED_SECONDS = 30 * 86_400;

/** The event feed of each account, as events look on the wire. */
export const openEventTable = (database: Database) => ({
  /** @param cause undefined if no request caused it, as with a renewal */
  insert: (account: number, event: NewEvent, cause?: Cause) =>
    void database
      .statement(
        `INSERT INTO events (account, id, type, created, api_version, data, request, idempotency_key)
         VALUES (:account, :id, :type, :created, :apiVersion, :data, :request, :idempotencyKey)`,
      )
      .run({
        account,
        id: event.id,
        type: event.type,
        created: event.created,
        apiVersion: event.apiVersion,
        data: JSON.stringify(event.data),
        request: cause?.requestId ?? null,
        idempotencyKey: cause?.idempotencyKey ?? null,
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
