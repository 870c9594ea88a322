import { useRef, useState } from "preact/hooks";
import { api, page } from "../../api/client.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Erasure } from "../../api/types.ts";

/** While an erasure is open, its progress is read. */
const REFRESH_MS = 5_000;
const PAGE = 50;
/** The API answers at most this many at once. */
const MOST = 1_000;

export type Erasures = { items: readonly Erasure[]; hasMore: boolean };

/** The organization's erasures, the latest first. `more` shows older ones; it keeps reading those that are shown. */
export const useErasures = (): Resource<Erasures> & { more: () => void } => {
  const limit = useRef(PAGE);
  const [isOpen, setOpen] = useState(false);
  const resource = useResource<Erasures>(
    "erasures",
    async (signal) => {
      const query = { limit: limit.current };
      const { items, next } = await page(api.GET("/api/integrations/provider/erasure", { params: { query }, signal }));
      setOpen(items.some(({ status }) => status !== "completed"));
      return { items, hasMore: next !== undefined && limit.current < MOST };
    },
    isOpen ? { everyMs: REFRESH_MS } : {},
  );
  return {
    ...resource,
    more: () => {
      limit.current = Math.min(MOST, limit.current + PAGE);
      resource.reload();
    },
  };
};
