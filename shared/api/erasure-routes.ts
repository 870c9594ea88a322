/** The endpoints of erasures. Decisions: docs/erasure.md. */
import * as z from "zod/mini";
import { Erasure, ErasureRequest } from "../erasure/erasure.ts";
import { defineRoute, type Route } from "../http/route.ts";

export const erasureRoutes = {
  requestErasure: defineRoute({
    method: "POST",
    path: "/api/integrations/provider/erasure",
    permission: "erasure:request",
    tag: "erasure",
    summary: "Have data erased",
    description:
      "Takes a request to erase the organization's data, or what there is of one of its users. It is carried out at once and normally takes minutes; `GET …/erasure` shows how far it is, and when a last look has found nothing more. It cannot be taken back.",
    request: { body: ErasureRequest },
    isIdempotent: true,
    success: { status: 202, description: "The request that was taken.", body: Erasure },
    failures: ["idempotency_conflict"],
  }),
  listErasures: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/erasure",
    permission: "erasure:request",
    tag: "erasure",
    summary: "List erasures",
    description: "Returns the organization's erasures with their progress, the one that was asked for last first.",
    request: {},
    paging: { defaultLimit: 50, maxLimit: 1000, position: z.object({ id: z.string() }) },
    success: { status: 200, description: "A page of erasures.", body: z.array(Erasure) },
    failures: [],
  }),
} as const satisfies Record<string, Route>;
