/** Reads the alerts and runs of a report from lists that come page by page, the newest first. */
import type { Alert, AlertPosition } from "../security/alerts/alert.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import { firstIdAt } from "../security/event-id.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";

const ALERTS_PER_PAGE = 1_000;
const RUNS_PER_PAGE = 100;

/** So many alerts of each status are read at most. */
const MAX_ALERTS = 10_000;

/** The items of a list, read page by page when needed. @param first the position before the first page. */
export async function* readItems<Item, Position>(
  readPage: (after: Position | undefined) => Promise<{ items: readonly Item[]; next: Position | undefined }>,
  first?: Position,
): AsyncGenerator<Item, void, void> {
  let after = first;
  do {
    const { items, next } = await readPage(after);
    yield* items;
    after = next;
  } while (after !== undefined);
}

/**
 * The alerts that were first seen since a time, and older ones that are not resolved, the newest first; without those of
 * drills.
 * @param since epoch ms, as `now`.
 * @throws DomainError `store_unavailable`.
 */
export const readAlerts = async (
  alerts: Pick<AlertStore, "list">,
  organizationId: string,
  since: number,
  now: number,
): Promise<Alert[]> => {
  const found: Alert[] = [];
  for (const status of ["open", "acknowledged", "resolved"] as const) {
    let after: AlertPosition | undefined;
    let read = 0;
    do {
      const { items, next } = await alerts.list(organizationId, { status, limit: ALERTS_PER_PAGE, after, now });
      const wanted = status === "resolved" ? items.filter(({ firstSeen }) => firstSeen >= since) : items;
      found.push(...wanted.filter(({ drill }) => drill !== true));
      read += items.length;
      after = wanted.length < items.length || read >= MAX_ALERTS ? undefined : next;
    } while (after !== undefined);
  }
  return found;
};

/**
 * The ended runs that began before a time, the latest first; read when needed.
 * @param before epoch ms, as `now`.
 * @throws DomainError `store_unavailable`.
 */
export const readEndedRuns = (
  runs: Pick<SyncRunStore, "list">,
  organizationId: string,
  before: number,
  now: number,
): AsyncGenerator<SyncRun, void, void> =>
  readItems((after) => runs.list(organizationId, { limit: RUNS_PER_PAGE, after, now }), { id: firstIdAt(before) });
