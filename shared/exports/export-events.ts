/** The events of an export: the security events that record it, and the bus event that requests a worker. */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import type { BusEvent } from "../runtime/event-bus.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import type { RequestOrigin } from "../terms/requester.ts";
import type { StoredExport } from "./export-item.ts";

export const EXPORT_REQUESTED_TYPE = "ExportRequested";

/** The detail of the bus event: which export needs a worker. A detail of the same version may only gain fields. */
export const ExportRequested = z.object({ version: z.literal(1), organizationId: z.string(), exportId: z.string() });
export type ExportRequested = z.output<typeof ExportRequested>;

/** The bus event that requests a worker. If it is delivered twice or too late, it changes nothing. */
export const exportRequested = (one: Omit<ExportRequested, "version">): BusEvent & { detail: ExportRequested } => ({
  source: EVENT_SOURCE,
  detailType: EXPORT_REQUESTED_TYPE,
  detail: { version: 1, ...one },
});

type Requested = Pick<StoredExport, "id" | "kind" | "format" | "filter" | "requestedAt" | "requestedBy">;

const common = { category: "compliance", riskLevel: "MEDIUM", success: true } as const;

export type ExportEvents = ReturnType<typeof createExportEvents>;

/** Records the security events. Their ids follow from the export, so each is stored once however often it is recorded. */
export const createExportEvents = ({ recorder }: { recorder: Pick<Recorder, "record"> }) => ({
  /** EXPORT_REQUESTED, by the requester, with the filters. */
  async requested(
    organizationId: string,
    { id, kind, format, filter, requestedAt, requestedBy }: Requested,
    { requestId, ...origin }: RequestOrigin,
  ): Promise<void> {
    await recorder.record(
      {
        ...common,
        eventType: "EXPORT_REQUESTED",
        source: "user",
        organizationId,
        userId: requestedBy,
        ...origin,
        action: `request_${kind}_export`,
        metadata: { exportId: id, kind, ...definedFields({ format, filter }), requestId },
      },
      { timestamp: requestedAt, identity: identityOf("export_requested", organizationId, id) },
    );
  },

  /** EXPORT_COMPLETED, with the numbers of what was exported. */
  async completed(
    organizationId: string,
    { id, kind, format }: Pick<Requested, "id" | "kind" | "format">,
    { files, items, bytes, completedAt }: { files: number; items: number; bytes: number; completedAt: number },
  ): Promise<void> {
    await recorder.record(
      {
        ...common,
        eventType: "EXPORT_COMPLETED",
        source: "system",
        organizationId,
        action: `complete_${kind}_export`,
        metadata: { exportId: id, kind, ...definedFields({ format }), files, items, bytes },
      },
      { timestamp: completedAt, identity: identityOf("export_completed", organizationId, id) },
    );
  },
});
