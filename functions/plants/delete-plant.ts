/**
 * DELETE /plants/{id}: deletes one plant of the caller's scope.
 * Spec: plant store, "DELETE /plants/{id}"; 204, and 404 where there is none (docs/decisions.md, "Plants").
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
  plantRoutes.deletePlant,
  ({ params, caller }) => plants.delete(caller.scope, params.id),
  wirePersonalHandler(plantRoutes.deletePlant),
);
