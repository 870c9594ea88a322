/** The endpoint of synced records. Decisions: docs/sync.md, "Records". */
import * as z from "zod/mini";
import { defineRoutes, pagesOf } from "../http/route.ts";
import { MoneyDay, MoneyQuery } from "../money/money-day.ts";
import { RecordType } from "../records/record.ts";
import { RecordPosition, RecordQuery } from "../records/record-query.ts";
import { SyncedRecord } from "../records/synced-record.ts";

export const recordRoutes = defineRoutes("records", {
  listRecords: {
    method: "GET",
    path: "/api/integrations/provider/records/{type}",
    permission: "records:read",
    summary: "List records",
    description:
      "Returns the synced records of a type, including deleted ones; the record created last at the provider comes first. Members and guests can read the types that the organization's settings name. Filters combine; a filter by a field that the type does not have is 400. Pages of a filtered list may be short.",
    request: { params: z.object({ type: RecordType }), query: RecordQuery },
    paging: pagesOf(RecordPosition),
    success: { status: 200, description: "A page of records.", body: z.array(SyncedRecord) },
  },
  getMoney: {
    method: "GET",
    path: "/api/integrations/provider/money",
    permission: "records:read",
    recordType: "payments",
    summary: "Count payments, refunds and disputes per day",
    description:
      "Returns a row for each UTC day, newest first: what the provider's events of the day say, each counted once and at the provider's time, since the account was connected. Needs the permission to read payments.",
    request: { query: MoneyQuery },
    success: { status: 200, description: "The days.", body: z.array(MoneyDay) },
  },
});
