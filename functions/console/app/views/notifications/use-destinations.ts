/** The organization's destinations, at most 20. */
import { answer, api } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Destination, DestinationChangeRequest, DestinationWithSecret } from "../../api/types.ts";

export const LIST = "/console/notifications";
export const API = "/api/integrations/provider/notifications";
const REFRESH_MS = 15_000;

export const useDestinations = (): Resource<readonly Destination[]> =>
  useResource("destinations", (signal) => answer(api.GET(API, { signal })), { everyMs: REFRESH_MS });

/** The present state of a destination. @throws Problem if somebody has deleted it. */
export const readDestination = async (id: string): Promise<Destination> => {
  const found = (await answer(api.GET(API))).find((destination) => destination.id === id);
  if (found === undefined) throw new Problem("The destination has been deleted.", { status: 404 });
  return found;
};

/** Replaces a destination's fields. @throws Problem */
export const putDestination = (id: string, body: DestinationChangeRequest): Promise<DestinationWithSecret> =>
  answer(api.PUT(`${API}/{id}`, { params: { path: { id } }, body }));
