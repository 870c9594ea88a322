/**
 * DELETE /plants/{id}: deletes one plant of the caller's scope.
 * Spec: plant store, "DELETE /plants/{id}"; 204, and 404 where there is none (docs/decisions.md, "Plants").
 */
import { plantRoutes } from "../../shared/api/plant-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { createPlantStore } from "../../shared/plants/plant-store.ts";
import { openTable } from "../../shared/runtime/open-table.ts";
import { wirePersonalHandler } from "../../shared/wiring/http.ts";

const plants = createPlantStore(openTable("plants"));

export const handler = createHandler(
  plantRoutes.deletePlant,
  ({ params, caller }) => plants.delete(caller.scope, params.id),
  wirePersonalHandler(plantRoutes.deletePlant),
);
