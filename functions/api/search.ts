/**
 * GET /api/integrations/provider/search: finds ids, users and addresses, and customers by the beginning of a name or an
 * e-mail address. Records found count as read. Decisions: docs/search.md.
 */
import { searchRoutes } from "../../shared/api/search-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { resourceTypeOf } from "../../shared/records/record.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireSearch } from "../../shared/wiring/search.ts";
import { wireDataReads } from "../../shared/wiring/security.ts";

const find = wireSearch();
const reads = wireDataReads();

export const handler = createHandler(
  searchRoutes.search,
  async ({ caller, origin, query: { q } }) => {
    const { results, recordTypes } = await find(caller, q, systemClock());
    for (const kind of recordTypes) await reads.record({ caller, origin, kind, resourceType: resourceTypeOf[kind] });
    return results;
  },
  wireHandler(searchRoutes.search),
);
