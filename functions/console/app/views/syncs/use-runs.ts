import { useEffect } from "preact/hooks";
import { api, page } from "../../api/client.ts";
import { useLiveList } from "../../api/live-list.ts";
import type { SyncRun } from "../../api/types.ts";

const REFRESH_MS = 15_000;
/** While a run is under way. */
const PROGRESS_MS = 2_000;
const PAGE = 50;
/** While an older run is looked for; the API answers at most so many at once. */
const LARGE_PAGE = 1_000;

/** The organization's runs, the latest first. @param wanted the id of a run; older pages are read until it is found. */
export const useRuns = (wanted: string | undefined) => {
  const runs = useLiveList<SyncRun>(
    "sync runs",
    (cursor, signal) => {
      const limit = cursor !== undefined && wanted !== undefined ? LARGE_PAGE : PAGE;
      const query = { limit, ...(cursor !== undefined && { cursor }) };
      return page(api.GET("/api/integrations/provider/sync", { params: { query }, signal }));
    },
    { everyMs: REFRESH_MS, isOpen: ({ status }) => status === "running", openMs: PROGRESS_MS },
  );
  const { value, older } = runs;
  const isMissing = wanted !== undefined && value !== undefined && !value.some(({ id }) => id === wanted);
  const searches = isMissing && older.hasMore && older.problem === undefined;
  useEffect(() => {
    if (searches && !older.isLoading) older.more();
  }, [searches, older.isLoading]);
  return { runs, isMissing: isMissing && !older.hasMore };
};
