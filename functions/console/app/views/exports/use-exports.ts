/** The organization's exports. */
import { useState } from "preact/hooks";
import { answer, api, page } from "../../api/client.ts";
import { type LiveList, useLiveList } from "../../api/live-list.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Export } from "../../api/types.ts";
import { addressBelow } from "../../words/address.ts";
import { isUnderWay } from "./export-words.ts";

export const LIST = "/console/exports";
export const API = "/api/integrations/provider/security/exports";
const PAGE = 50;
const REFRESH_MS = 30_000;
/** While an export runs. */
const RUNNING_MS = 2_000;

export const exportAddress = (id: string): string => addressBelow(LIST, id);

/** Without links. */
export const useExports = (): LiveList<Export> =>
  useLiveList<Export>(
    "exports",
    (after, signal) => page(api.GET(API, { params: { query: { limit: PAGE, ...after } }, signal })),
    { everyMs: REFRESH_MS, isOpen: isUnderWay, openMs: RUNNING_MS },
  );

/**
 * An export with its progress, and with links when it is complete. Each answer with links is recorded as a read, so a
 * complete export is read again only when the user asks.
 */
export const useExport = (id: string): Resource<Export> => {
  const [isRunning, setRunning] = useState(true);
  return useResource(
    `export ${id}`,
    async (signal) => {
      const found = await answer(api.GET(`${API}/{id}`, { params: { path: { id } }, signal }));
      setRunning(isUnderWay(found));
      return found;
    },
    isRunning ? { everyMs: RUNNING_MS } : {},
  );
};
