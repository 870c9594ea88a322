/** The endpoint of the search. Decisions: docs/search.md. */
import * as z from "zod/mini";
import { defineRoutes } from "../http/route.ts";
import { MAX_RESULTS, SearchQuery, SearchResult } from "../search/search-result.ts";

export const searchRoutes = defineRoutes("api", {
  search: {
    method: "GET",
    path: "/api/integrations/provider/search",
    permission: "self:read",
    summary: "Search",
    description: `Finds what the caller may read: an event, alert, sync run, webhook, delivery or record by its exact id; a user with events, and an address; and customers whose name or e-mail address begins with the text, in any case. At most ${MAX_RESULTS} results, exact matches first.`,
    request: { query: SearchQuery },
    success: { status: 200, description: "What was found.", body: z.array(SearchResult) },
  },
});
