/** The endpoints of erasures. Decisions: docs/erasure.md. */
import * as z from "zod/mini";
import { Erasure, ErasureRequest } from "../erasure/erasure.ts";
import { defineRoutes, PositionById, pagesOf } from "../http/route.ts";

export const erasureRoutes = defineRoutes("erasure", {
  requestErasure: {
    method: "POST",
    path: "/api/integrations/provider/erasure",
    permission: "erasure:request",
    summary: "Request an erasure of data",
    description:
      "Requests the erasure of the organization's data, or of the data of one of its users. The erasure starts at once and normally takes minutes. `GET …/erasure` shows its progress, and when a final pass has found no more data. It cannot be undone.",
    request: { body: ErasureRequest },
    isIdempotent: true,
    success: { status: 202, description: "The accepted request.", body: Erasure },
    failures: ["idempotency_conflict"],
  },
  listErasures: {
    method: "GET",
    path: "/api/integrations/provider/erasure",
    permission: "erasure:request",
    summary: "List erasures",
    description: "Returns the organization's erasures with their progress, the latest request first.",
    paging: pagesOf(PositionById),
    success: { status: 200, description: "A page of erasures.", body: z.array(Erasure) },
  },
});
