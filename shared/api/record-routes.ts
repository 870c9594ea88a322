/** The endpoint of synced records. Decisions: docs/sync.md, "Records". */
import * as z from "zod/mini";
import { defineRoute, type Route } from "../http/route.ts";
import { RecordType, SyncedRecord } from "../records/record.ts";
import { RecordPosition, RecordQuery } from "../records/record-query.ts";

export const recordRoutes = {
  listRecords: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/records/{type}",
    permission: "records:read",
    tag: "records",
    summary: "List records",
    description:
      "Returns the synced records of a type, including deleted ones; the record created last at the provider comes first. Members and guests can read the types that the organization's settings name. Filters combine.",
    request: { params: z.object({ type: RecordType }), query: RecordQuery },
    paging: { defaultLimit: 50, maxLimit: 1000, position: RecordPosition },
    success: { status: 200, description: "A page of records.", body: z.array(SyncedRecord) },
    failures: [],
  }),
} as const satisfies Record<string, Route>;
