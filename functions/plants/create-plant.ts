/**
 * POST /plants: adds a plant to the caller's scope.
 * Spec: plant store, "POST /plants"; an existing id is 409 (docs/decisions.md, "Plants").
 */
import { plantRoutes } from "../../shared/api/plant-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { createPlantStore } from "../../shared/plants/plant-store.ts";
import { openTable } from "../../shared/runtime/open-table.ts";
import { wirePersonalHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const plants = createPlantStore(openTable("plants"));

export const handler = createHandler(
  plantRoutes.createPlant,
  ({ body, caller, identity }) => plants.create(caller.scope, body, identity.id),
  withAnswerOnce(wirePersonalHandler(plantRoutes.createPlant)),
);
