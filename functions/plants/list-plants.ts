/**
 * GET /plants: the plants of the caller's scope, in ascending order of id.
 * Spec: plant store, "GET /plants"; order and pages are decided in docs/decisions.md, "Plants" and "Lists".
 */
import { plantRoutes } from "../../shared/api/plant-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { createPlantStore } from "../../shared/plants/plant-store.ts";
import { openTable } from "../../shared/runtime/open-table.ts";
import { wirePersonalHandler } from "../../shared/wiring/http.ts";

const plants = createPlantStore(openTable("plants"));

export const handler = createHandler(
  plantRoutes.listPlants,
  ({ caller, page }) => plants.list(caller.scope, page),
  wirePersonalHandler(plantRoutes.listPlants),
);
