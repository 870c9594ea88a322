import { definedFields } from "../json/defined-fields.ts";
import { getItem, putItem, type Table, updateItem } from "../runtime/table.ts";
import { expiryOf } from "../terms/hours.ts";
import type { FeedCursor } from "./feed-cursor.ts";
import { RUN_ATTRIBUTES, runKey, type SyncState, stateKey } from "./sync-item.ts";
import { SyncRun } from "./sync-run.ts";

export type SyncEndStore = ReturnType<typeof createSyncEndStore>;

/**
 * How runs end, in three steps: the item of the ended run decides the end once and for all; then the security events are
 * recorded; then the run is closed. A worker that finds a run decided and not closed repeats the last two steps.
 * All calls throw DomainError `store_unavailable`.
 */
export const createSyncEndStore = (table: Table<"syncRuns">, { retentionDays }: { retentionDays: number }) => ({
  /**
   * Decides how a run ends; a write unit per KB.
   * @returns the run's end: this one, or the one that was decided before.
   */
  async decide(organizationId: string, run: SyncRun): Promise<SyncRun> {
    const key = runKey(organizationId, run.id);
    const ttl = expiryOf(run.finishedAt ?? run.startedAt, retentionDays);
    const { written } = await putItem(table, { ...run, ...key, ttl }, { condition: "attribute_not_exists(#key)" });
    return written ? run : SyncRun.parse(await getItem(table, key));
  },

  /**
   * Closes a run whose end is decided and recorded, if it is still there; a write unit per KB, two if the run is in the
   * index.
   * @param cursor where the next run continues if this run succeeded; undefined keeps the last cursor.
   * @param also.wantedSlot of the run that must replace this one (missed-runs.ts). `readTypes`, `refusedTypes`:
   *   optional-types.ts.
   */
  async close(
    organizationId: string,
    { id, status, finishedAt }: SyncRun,
    cursor?: FeedCursor,
    also: Pick<SyncState, "wantedSlot" | "readTypes" | "refusedTypes"> = {},
  ): Promise<void> {
    await updateItem(table, stateKey(organizationId), {
      set: { ...(status === "succeeded" && { lastSuccessAt: finishedAt, ...definedFields({ cursor }) }), ...also },
      remove: RUN_ATTRIBUTES,
      condition: "#run.#id = :id",
      values: { id },
    });
  },
});
