/**
 * POST /plants: adds a plant to the caller's scope.
 * Spec: plant store, "POST /plants"; an existing id is 409 (docs/decisions.md, "Plants").
 */
import { plantRoutes } from "../../shared/api/plant-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { createPlantStore, type PlantStore } from "../../shared/plants/plant-store.ts";
import { readConfig } from "../../shared/runtime/config.ts";
import { documentClient } from "../../shared/runtime/document-client.ts";
import { wirePersonalParts } from "../../shared/wiring/http.ts";

type Dependencies = { plants: Pick<PlantStore, "create"> };

export const createPlantHandler = ({ plants }: Dependencies, parts: HandlerParts) =>
  createHandler(plantRoutes.createPlant, ({ body, caller }) => plants.create(caller.scope, body), parts);

const { PLANTS_TABLE_NAME } = readConfig(["PLANTS_TABLE_NAME"]);

export const handler = createPlantHandler(
  { plants: createPlantStore(documentClient, PLANTS_TABLE_NAME) },
  wirePersonalParts(plantRoutes.createPlant),
);
