/** The endpoints of the plant store. Spec: plant store, "Endpoints". */
import * as z from "zod/mini";
import { defineRoutes } from "../http/route.ts";
import { Int64, Int64Parameter } from "../json/int64.ts";
import { LIST_MAX_LIMIT, NewPlant, Plant } from "../plants/plant.ts";

export const plantRoutes = defineRoutes("plants", {
  createPlant: {
    method: "POST",
    path: "/plants",
    permission: "plants:write",
    ignoresUnknownParameters: true,
    summary: "Create a plant",
    description: "Creates a plant. An id that exists in the caller's scope is a conflict; nothing is overwritten.",
    request: { body: NewPlant },
    isIdempotent: true,
    success: { status: 200, description: "The plant that was created.", body: Plant },
    failures: ["plant_exists"],
  },
  listPlants: {
    method: "GET",
    path: "/plants",
    permission: "plants:read",
    ignoresUnknownParameters: true,
    summary: "List plants",
    description: "Returns the caller's plants in ascending order of id.",
    paging: { defaultLimit: LIST_MAX_LIMIT, maxLimit: LIST_MAX_LIMIT, position: z.object({ id: Int64 }) },
    success: { status: 200, description: "A page of plants.", body: z.array(Plant) },
  },
  deletePlant: {
    method: "DELETE",
    path: "/plants/{id}",
    permission: "plants:write",
    ignoresUnknownParameters: true,
    summary: "Delete a plant",
    description: "Deletes one of the caller's plants.",
    request: { params: z.object({ id: Int64Parameter }) },
    success: { status: 204, description: "The plant was deleted." },
    failures: ["plant_not_found"],
  },
});
