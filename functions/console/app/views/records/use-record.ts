import { answer, api } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";

/** One record; null if there is none. */
export const useRecord = (type: RecordType, id: string): Resource<ProviderRecord | null> =>
  useResource(`record ${type} ${id}`, async (signal) => {
    const params = { path: { type }, query: { id } };
    const found = await answer(api.GET("/api/integrations/provider/records/{type}", { params, signal }));
    return found[0] ?? null;
  });
