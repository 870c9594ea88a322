/**
 * GET /api/integrations/provider/erasure: lists the organization's erasures with their progress, the latest first.
 * Decisions: docs/erasure.md, "Requests".
 */
import { erasureRoutes } from "../../shared/api/erasure-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireErasureStore } from "../../shared/wiring/erasure.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const erasures = wireErasureStore();

export const handler = createHandler(
  erasureRoutes.listErasures,
  ({ caller, page }) => erasures.list(caller.organizationId, page),
  wireHandler(erasureRoutes.listErasures),
);
