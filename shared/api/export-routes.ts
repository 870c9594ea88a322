/** The endpoints of exports. Decisions: docs/exports.md. */
import * as z from "zod/mini";
import { EventExportRequest, Export } from "../exports/export.ts";
import { defineRoutes, idOf, PositionById, pagesOf } from "../http/route.ts";

const ACCEPTED = "The accepted request. `GET …/security/exports/{id}` shows its progress, and then links to its files.";

export const exportRoutes = defineRoutes("exports", {
  startEventExport: {
    method: "POST",
    path: "/api/integrations/provider/security/exports",
    permission: "security:read",
    summary: "Export security events",
    description:
      "Writes the selected security events to a file, newest first: as NDJSON, as CSV, or as events of the Open Cybersecurity Schema Framework. The filters are those of `GET …/security`. At most three exports of an organization run at the same time.",
    request: { body: EventExportRequest },
    isIdempotent: true,
    success: { status: 202, description: ACCEPTED, body: Export },
    failures: ["too_many_exports", "idempotency_conflict"],
  },
  startOrganizationExport: {
    method: "POST",
    path: "/api/integrations/provider/export",
    permission: "settings:manage",
    summary: "Export all data of the organization",
    description:
      "Writes the organization's settings, records, security events, alerts and reports to files, and a manifest with the entries, the size and the SHA-256 of each file. At most three exports of an organization run at the same time.",
    isIdempotent: true,
    success: { status: 202, description: ACCEPTED, body: Export },
    failures: ["too_many_exports", "idempotency_conflict"],
  },
  listExports: {
    method: "GET",
    path: "/api/integrations/provider/security/exports",
    permission: "security:read",
    summary: "List exports",
    description: "Returns the organization's exports of the last 30 days, the latest request first, without links.",
    paging: pagesOf(PositionById),
    success: { status: 200, description: "A page of exports.", body: z.array(Export) },
  },
  getExport: {
    method: "GET",
    path: "/api/integrations/provider/security/exports/{id}",
    permission: "security:read",
    summary: "Read an export",
    description:
      "Returns an export with its progress. A completed one has a URL for each file, which downloads it without a token for at most 15 minutes; each answer has new ones. An answer with URLs is recorded as a read of data.",
    request: { params: idOf("export", "export_not_found") },
    success: { status: 200, description: "The export.", body: Export },
    failures: ["export_not_found"],
  },
});
