/**
 * GET /api/integrations/provider/erasure: the organization's erasures with their progress, the last request first.
 * Decisions: docs/erasure.md, "Requests".
 */
import { erasureRoutes } from "../../shared/api/erasure-routes.ts";
import type { ErasureStore } from "../../shared/erasure/erasure-store.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireErasureStore } from "../../shared/wiring/erasure.ts";
import { wireParts } from "../../shared/wiring/http.ts";

type Dependencies = { erasures: Pick<ErasureStore, "list"> };

export const listErasuresHandler = ({ erasures }: Dependencies, parts: HandlerParts) =>
  createHandler(erasureRoutes.listErasures, ({ caller, page }) => erasures.list(caller.organizationId, page), parts);

export const handler = listErasuresHandler({ erasures: wireErasureStore() }, wireParts(erasureRoutes.listErasures));
