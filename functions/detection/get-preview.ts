/** GET /api/integrations/provider/detection/previews/{id}: a preview's progress, or its result. docs/rules.md, "Previews". */
import { detectionRoutes } from "../../shared/api/detection-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { toPreview } from "../../shared/previews/preview-item.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wirePreviewStore } from "../../shared/wiring/previews.ts";

const route = detectionRoutes.getPreview;
const previews = wirePreviewStore();

export const handler = createHandler(
  route,
  async ({ params, caller }) => toPreview(await previews.get(caller.organizationId, params.id, systemClock())),
  wireHandler(route),
);
