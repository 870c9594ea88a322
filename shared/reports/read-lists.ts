/** The alerts and runs that reports tell of, from lists that are read page by page, the newest first. */
import type { Alert } from "../security/alerts/alert.ts";
import type { AlertPosition, AlertStore } from "../security/alerts/alert-store.ts";
import { firstIdAt } from "../security/event-id.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";

const ALERTS_PER_PAGE = 1_000;
const RUNS_PER_PAGE = 100;

/** Beyond these nothing is told of older ones: somebody floods us with alerts. */
const MAX_ALERTS = 10_000;

/**
 * The alerts that were first seen from a time on, and those of older ones that are not resolved, the newest first.
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
      found.push(...wanted);
      read += items.length;
      after = wanted.length < items.length || read >= MAX_ALERTS ? undefined : next;
    } while (after !== undefined);
  }
  return found;
};

/**
 * The runs that are over and began before a time, the last to begin first; read as they are asked for.
 * @param before epoch ms, as `now`.
 * @throws DomainError `store_unavailable`.
 */
export async function* readEndedRuns(
  runs: Pick<SyncRunStore, "list">,
  organizationId: string,
  before: number,
  now: number,
): AsyncGenerator<SyncRun, void, void> {
  let after: { id: string } | undefined = { id: firstIdAt(before) };
  while (after !== undefined) {
    const page: Awaited<ReturnType<SyncRunStore["list"]>> = await runs.list(organizationId, {
      limit: RUNS_PER_PAGE,
      after,
      now,
    });
    yield* page.items;
    after = page.next;
  }
}
