/**
 * DELETE /plants/{id}: deletes one plant of the caller's scope.
 * Spec: plant store, "DELETE /plants/{id}"; 204, and 404 where there is none (docs/decisions.md, "Plants").
 */
import { plantRoutes } from "../../shared/api/plant-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import { createPlantStore, type PlantStore } from "../../shared/plants/plant-store.ts";
import { readConfig } from "../../shared/runtime/config.ts";
import { documentClient } from "../../shared/runtime/document-client.ts";
import { wirePersonalParts } from "../../shared/wiring/http.ts";

type Dependencies = { plants: Pick<PlantStore, "delete"> };

export const deletePlantHandler = ({ plants }: Dependencies, parts: HandlerParts) =>
  createHandler(plantRoutes.deletePlant, ({ params, caller }) => plants.delete(caller.scope, params.id), parts);

const { PLANTS_TABLE_NAME } = readConfig(["PLANTS_TABLE_NAME"]);

export const handler = deletePlantHandler(
  { plants: createPlantStore(documentClient, PLANTS_TABLE_NAME) },
  wirePersonalParts(plantRoutes.deletePlant),
);
