/**
 * GET /api/integrations/provider/security/checkpoints/{size}: a signed checkpoint of the deployment's log.
 * Decisions: docs/evidence.md, "Checkpoints".
 */
import { evidenceRoutes } from "../../shared/api/evidence-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireReadCheckpoint } from "../../shared/wiring/evidence.ts";
import { wireHandler } from "../../shared/wiring/http.ts";

const readCheckpoint = wireReadCheckpoint();

export const handler = createHandler(
  evidenceRoutes.getCheckpoint,
  ({ params: { size }, query: { from } }) => readCheckpoint(size, from),
  wireHandler(evidenceRoutes.getCheckpoint),
);
