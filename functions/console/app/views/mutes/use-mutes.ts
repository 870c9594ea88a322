/** The organization's mutes, newest first. */
import { answer, api, page } from "../../api/client.ts";
import { type LiveList, useLiveList } from "../../api/live-list.ts";
import { type PagedList, usePagedList } from "../../api/paged-list.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Alert, Mute } from "../../api/types.ts";

export const API = "/api/integrations/provider/mutes";
const PAGE = 50;
const EVERY_MS = 15_000;

export const useMutes = (): LiveList<Mute> =>
  useLiveList<Mute>(
    "mutes",
    (after, signal) => page(api.GET(API, { params: { query: { limit: PAGE, ...after } }, signal })),
    { everyMs: EVERY_MS, isOpen: ({ state }) => state !== "ended" },
  );

export const useMute = (id: string): Resource<Mute> =>
  useResource(`mute ${id}`, (signal) => answer(api.GET(`${API}/{id}`, { params: { path: { id } }, signal })), {
    everyMs: EVERY_MS,
  });

/** The alerts that a mute ever hid. @param count how many, so that the list is read again when it grows */
export const useHiddenAlerts = (id: string, count: number): PagedList<Alert> =>
  usePagedList(`hidden by ${id} ${count}`, (after, signal) =>
    page(
      api.GET("/api/integrations/provider/security/alert", {
        params: { query: { mutedBy: id, limit: PAGE, ...after } },
        signal,
      }),
    ),
  );
