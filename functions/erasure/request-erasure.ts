/**
 * POST /api/integrations/provider/erasure: takes a request to erase data.
 * Decisions: docs/erasure.md, "Requests".
 */
import { erasureRoutes } from "../../shared/api/erasure-routes.ts";
import type { RequestErasure } from "../../shared/erasure/request-erasure.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireRequestErasure } from "../../shared/wiring/erasure.ts";
import { wireParts } from "../../shared/wiring/http.ts";

type Dependencies = { request: RequestErasure };

export const requestErasureHandler = ({ request }: Dependencies, parts: HandlerParts) =>
  createHandler(
    erasureRoutes.requestErasure,
    ({ body, caller, origin, idempotencyKey }) => request(body, { caller, origin, idempotencyKey }),
    parts,
  );

export const handler = requestErasureHandler(
  { request: wireRequestErasure() },
  wireParts(erasureRoutes.requestErasure),
);
