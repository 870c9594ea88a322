/**
 * GET /api/integrations/provider/records/{type}: lists the synced records of a type, and records the read.
 * Spec: "What the service does"; fields, filters and order: docs/sync.md, "Records".
 */
import { recordRoutes } from "../../shared/api/record-routes.ts";
import { createHandler, type HandlerDependencies } from "../../shared/http/create-handler.ts";
import { resourceTypeOf } from "../../shared/records/record.ts";
import type { RecordListStore } from "../../shared/records/record-list-store.ts";
import type { DataReadRecorder } from "../../shared/security/data-reads.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireRecordLists } from "../../shared/wiring/records.ts";
import { wireDataReads } from "../../shared/wiring/security.ts";

type Dependencies = { records: Pick<RecordListStore, "list">; reads: Pick<DataReadRecorder, "record"> };

export const listRecordsHandler = ({ records, reads }: Dependencies, parts: HandlerDependencies) =>
  createHandler(
    recordRoutes.listRecords,
    async ({ caller, origin, params: { type }, query, page }) => {
      const found = await records.list(caller.organizationId, type, query, page);
      await reads.record({ caller, origin, kind: type, resourceType: resourceTypeOf[type] });
      return found;
    },
    parts,
  );

export const handler = listRecordsHandler(
  { records: wireRecordLists(), reads: wireDataReads() },
  wireHandler(recordRoutes.listRecords),
);
