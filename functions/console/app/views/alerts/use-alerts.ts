import { useRef } from "preact/hooks";
import { api, page } from "../../api/client.ts";
import { afterCursor } from "../../api/paged-list.ts";
import { type Resource, useResource } from "../../api/resource.ts";
import type { Alert } from "../../api/types.ts";
import type { StatusChoice } from "./triage.ts";

const REFRESH_MS = 15_000;
/** A long list is read less often. */
const LONG = 1_000;
const LONG_REFRESH_MS = 60_000;
/** Alerts that are read at once. An organization has one per rule and subject, so mostly all of them. */
const PAGE = 200;
/** The API answers at most this many at once. */
const MOST = 1_000;
/** With an assignee, pages may be empty and not the last. */
const MOST_REQUESTS = 10;

type Status = Alert["status"];
type Query = { status?: Status; assignee?: string };
type Loaded = { items: readonly Alert[]; hasMore: boolean; pages: number };

const readUntil = async (wanted: number, filters: Query, signal: AbortSignal) => {
  const items: Alert[] = [];
  let cursor: string | undefined;
  for (let requests = 0; requests < MOST_REQUESTS; requests++) {
    const query = { ...filters, limit: Math.min(MOST, wanted - items.length), ...afterCursor(cursor) };
    const read = await page(api.GET("/api/integrations/provider/security/alert", { params: { query }, signal }));
    items.push(...read.items);
    cursor = read.next;
    if (cursor === undefined || items.length >= wanted) break;
  }
  return { items, hasMore: cursor !== undefined };
};

const statusesOf = (choice: StatusChoice): readonly (Status | undefined)[] => {
  if (choice === "all") return [undefined];
  return choice === "unresolved" ? ["open", "acknowledged"] : [choice];
};

/** `more` reads more of them; from then on, all of them are read each time. */
export type Alerts = Resource<Loaded> & {
  more: () => void;
  isLoadingMore: boolean;
  /** Whether the value was read for other filters, until the one for these is there. */
  isStale: boolean;
};

/** The alerts of a status, read again every 15 seconds. @param assignee a user's id. */
export const useAlerts = (choice: StatusChoice, assignee: string | undefined): Alerts => {
  const key = `alerts ${JSON.stringify([choice, assignee])}`;
  const wanted = useRef({ key, pages: 1 });
  if (wanted.current.key !== key) wanted.current = { key, pages: 1 };
  const size = useRef(0);
  const resource = useResource<Loaded>(
    key,
    async (signal) => {
      const { pages } = wanted.current;
      const read = await Promise.all(
        statusesOf(choice).map((status) =>
          readUntil(
            pages * PAGE,
            { ...(status !== undefined && { status }), ...(assignee !== undefined && { assignee }) },
            signal,
          ),
        ),
      );
      const items = read.flatMap((one) => one.items);
      // An alert that is acknowledged between the two reads is in both; its later revision counts.
      const latest = new Map<string, Alert>();
      for (const alert of items) {
        const other = latest.get(alert.id);
        if (other === undefined || other.revision < alert.revision) latest.set(alert.id, alert);
      }
      return { items: [...latest.values()], hasMore: read.some(({ hasMore }) => hasMore), pages };
    },
    { everyMs: size.current > LONG ? LONG_REFRESH_MS : REFRESH_MS },
  );
  const { isLoading, problem, reload } = resource;
  const before = useRef(resource.value);
  if (resource.value !== undefined || problem !== undefined) before.current = resource.value;
  const value = before.current;
  size.current = value?.items.length ?? 0;
  const isLoadingMore = isLoading && value !== undefined && value.pages < wanted.current.pages;
  return {
    ...resource,
    value,
    isLoadingMore,
    isStale: resource.value !== value,
    more: () => {
      if (isLoadingMore || value === undefined || !value.hasMore) return;
      wanted.current = { key, pages: value.pages + 1 };
      reload();
    },
  };
};
