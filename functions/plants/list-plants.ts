/**
 * GET /plants: the plants of the caller's scope, in ascending order of id.
 * Spec: plant store, "GET /plants"; order and pages are decided in docs/decisions.md, "Plants" and "Lists".
 */
import { plantRoutes } from "../../shared/api/plant-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { createPlantStore } from "../../shared/plants/plant-store.ts";
import { readConfig } from "../../shared/runtime/config.ts";
import { documentClient } from "../../shared/runtime/document-client.ts";
import { wirePersonalHandler } from "../../shared/wiring/http.ts";

const { PLANTS_TABLE_NAME } = readConfig(["PLANTS_TABLE_NAME"]);
const plants = createPlantStore(documentClient, PLANTS_TABLE_NAME);

export const handler = createHandler(
  plantRoutes.listPlants,
  ({ caller, page }) => plants.list(caller.scope, page),
  wirePersonalHandler(plantRoutes.listPlants),
);
