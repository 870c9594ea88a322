/**
 * POST /api/integrations/provider/erasure: takes a request to erase data.
 * Decisions: docs/erasure.md, "Requests".
 */
import { erasureRoutes } from "../../shared/api/erasure-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireRequestErasure } from "../../shared/wiring/erasure.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const requestErasure = wireRequestErasure();

export const handler = createHandler(
  erasureRoutes.requestErasure,
  ({ body, caller, origin, identity }) => requestErasure(body, { caller, origin, identity }),
  withAnswerOnce(wireHandler(erasureRoutes.requestErasure)),
);
