/**
 * POST /api/integrations/provider/erasure: takes a request to erase data.
 * Decisions: docs/erasure.md, "Requests".
 */
import { erasureRoutes } from "../../shared/api/erasure-routes.ts";
import type { RequestErasure } from "../../shared/erasure/request-erasure.ts";
import { wireRequestErasure } from "../../shared/erasure/wire-request.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { wireParts } from "../../shared/http/wiring.ts";

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
