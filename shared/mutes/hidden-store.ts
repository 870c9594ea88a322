import { DomainError } from "../runtime/domain-error.ts";
import { deleteItem, getItem, type Table, unchanged } from "../runtime/table.ts";
import { queryFilteredPage, queryPages } from "../runtime/table-query.ts";
import { putPart, transact, updatePart } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import { isAtLeast, type RiskLevel } from "../terms/risk-levels.ts";
import {
  HiddenItem,
  hiddenKey,
  hiddenOf,
  hiddenPrefix,
  type MuteItem,
  muteKey,
  PendingItem,
  pendingKey,
  pendingPrefix,
} from "./mute-item.ts";
import type { Acting } from "./mute-times.ts";

const MAX_ATTEMPTS = 12;

/** A notification that is withheld: a change of the alert for a destination. */
export type Withheld = { destinationId: string; change: string };

/** An alert that waits for the end of a mute. `pendingUntil`: when the span ends that hid it, epoch ms. */
export type Pending = { alertId: string; pendingUntil: number };

export type HiddenStore = ReturnType<typeof createHiddenStore>;

/** What mutes have hidden; keys in mute-item.ts. All calls throw DomainError `store_unavailable`. */
export const createHiddenStore = (table: Table<"mutes">, { newToken }: { newToken: () => string }) => {
  const inPartition = (organizationId: string, prefix: string) => ({
    where: "#scope = :scope AND begins_with(#key, :prefix)",
    values: { scope: organizationKey(organizationId), prefix },
    isConsistent: true,
  });

  return {
    /**
     * Hides an alert until the end of a mute's span, and counts what is withheld for the first time. All of it is one
     * transaction with the check that the span is not worked off: what is hidden is found by the worker of the end.
     * One read unit, and about twelve write units if anything is new.
     * @returns `over` if the mute or its span has ended.
     */
    async hide(
      organizationId: string,
      { mute, span }: Acting<Pick<MuteItem, "id" | "ttl">>,
      alert: { id: string; level: RiskLevel },
      withheld: readonly Withheld[],
    ): Promise<"hidden" | "over"> {
      const key = hiddenKey(organizationId, mute.id, alert.id);
      const named = withheld.map(({ change, destinationId }) => `${change} ${destinationId}`);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const stored = await getItem(table, key);
        const before = stored && HiddenItem.parse(stored);
        const added = named.filter((one) => !before?.withheld.has(one));
        const level = before !== undefined && isAtLeast(before.level, alert.level) ? before.level : alert.level;
        if (before?.pendingUntil === span.until && added.length === 0 && level === before.level) return "hidden";
        const after = new Set([...(before?.withheld ?? []), ...added]);
        const failed = await transact(table, [
          updatePart(table, muteKey(organizationId, mute.id), {
            add: {
              hiddenAlerts: before === undefined ? 1 : 0,
              hiddenNotifications: added.length,
              ...(level !== before?.level && { [hiddenOf(level)]: 1 }),
              ...(before !== undefined && level !== before.level && { [hiddenOf(before.level)]: -1 }),
            },
            condition:
              "attribute_exists(#key) AND attribute_not_exists(#endedAt) AND (attribute_not_exists(#drainedUntil) OR #drainedUntil < :until)",
            values: { until: span.until },
          }),
          putPart(
            table,
            {
              ...key,
              level,
              ...(after.size > 0 && { withheld: after }),
              pendingUntil: span.until,
              version: newToken(),
              ttl: mute.ttl,
            },
            unchanged("version", before?.version),
          ),
          putPart(table, {
            ...pendingKey(organizationId, mute.id, alert.id),
            pendingUntil: span.until,
            ttl: mute.ttl,
          }),
        ]);
        if (failed.size === 0) return "hidden";
        if (failed.has(0)) return "over";
        // Another writer has hidden the alert since: read again at once.
      }
      throw new DomainError("store_unavailable", "The alert changes too fast. Try again.");
    },

    /**
     * Alerts that wait for the end of a mute, read strongly, oldest first, and whether there are more.
     * @param until the alerts of spans that end later are left out; epoch ms.
     */
    async listPending(
      organizationId: string,
      muteId: string,
      { until, limit }: { until: number; limit: number },
    ): Promise<{ items: Pending[]; hasMore: boolean }> {
      const prefix = pendingPrefix(muteId);
      const { values, ...all } = inPartition(organizationId, prefix);
      const query = { ...all, values: { ...values, until }, filter: "#pendingUntil <= :until" };
      const { items, last } = await queryFilteredPage(table, query, limit);
      const pending = items.map((item) => PendingItem.parse(item));
      return {
        items: pending.map(({ key, pendingUntil }) => ({ alertId: key.slice(prefix.length), pendingUntil })),
        hasMore: last !== undefined,
      };
    },

    /** Ends the waiting of an alert, unless a later span has hidden it again. One write unit. */
    async release(organizationId: string, muteId: string, { alertId, pendingUntil }: Pending): Promise<void> {
      await deleteItem(table, pendingKey(organizationId, muteId, alertId), {
        condition: "#pendingUntil = :pendingUntil",
        values: { pendingUntil },
      });
    },

    /** The ids of all alerts that a mute ever hid; empty for an unknown mute. One read unit per 4 KB, about 30 alerts. */
    async alertIds(organizationId: string, muteId: string): Promise<ReadonlySet<string>> {
      const prefix = hiddenPrefix(muteId);
      const ids = new Set<string>();
      const query = { ...inPartition(organizationId, prefix), attributes: ["key"] };
      for await (const page of queryPages(table, query))
        for (const { key } of page) ids.add(String(key).slice(prefix.length));
      return ids;
    },
  };
};
