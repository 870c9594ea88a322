/**
 * POST /plants: adds a plant to the caller's scope.
 * Spec: plant store, "POST /plants"; an existing id is 409 (docs/decisions.md, "Plants").
 */
import { plantRoutes } from "../../shared/api/plant-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { createPlantStore } from "../../shared/plants/plant-store.ts";
import { readConfig } from "../../shared/runtime/config.ts";
import { documentClient } from "../../shared/runtime/document-client.ts";
import { wirePersonalHandler, withAnswerOnce } from "../../shared/wiring/http.ts";

const { PLANTS_TABLE_NAME } = readConfig(["PLANTS_TABLE_NAME"]);
const plants = createPlantStore(documentClient, PLANTS_TABLE_NAME);

export const handler = createHandler(
  plantRoutes.createPlant,
  ({ body, caller, identity }) => plants.create(caller.scope, body, identity.id),
  withAnswerOnce(wirePersonalHandler(plantRoutes.createPlant)),
);
