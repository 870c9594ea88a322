/** Reads when the alerts of a period were raised and resolved, for a preview (shared/previews/). */
import * as z from "zod/mini";
import type { Table } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { organizationKey } from "../../terms/keys.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { ALERTS_BY_STATUS } from "../../terms/tables.ts";
import { alertStatuses } from "./alert.ts";
import { statusKey } from "./alert-item.ts";

const PeriodAlert = z.object({
  rule: z.string(),
  subject: z.string(),
  title: z.string(),
  level: z.enum(riskLevels),
  firstSeen: z.number(),
  lastSeen: z.number(),
  resolvedAt: z.optional(z.number()),
  /** What a finding was counted for: names of hours, or ids of events; the newest. */
  occurrences: z.optional(z.set(z.string())),
});

/** Times are epoch ms. */
export type PeriodAlert = Omit<z.output<typeof PeriodAlert>, "occurrences"> & { occurrences: readonly string[] };

export type AlertPeriodStore = ReturnType<typeof createAlertPeriodStore>;

/** Throws DomainError `store_unavailable`. */
export const createAlertPeriodStore = (table: Table<"securityAlerts">) => ({
  /**
   * The alerts that had evidence in a period, without those of drills, at most `most`, the latest `firstSeen` first in each status. Half a read unit
   * per 4 KB of the organization's alerts; may lag by a second.
   */
  async list(organizationId: string, { from, to }: { from: number; to: number }, most: number): Promise<PeriodAlert[]> {
    const found: PeriodAlert[] = [];
    for (const status of alertStatuses) {
      const pages = queryPages(table, {
        index: ALERTS_BY_STATUS,
        where: "#statusKey = :status",
        values: { status: statusKey(organizationKey(organizationId), status), from, to },
        filter: "#lastSeen >= :from AND #firstSeen < :to AND attribute_not_exists(#drill)",
        attributes: Object.keys(PeriodAlert.shape),
        isDescending: true,
      });
      for await (const page of pages) {
        found.push(
          ...page.map((item) => {
            const { occurrences = [], ...alert } = PeriodAlert.parse(item);
            return { ...alert, occurrences: [...occurrences] };
          }),
        );
        if (found.length >= most) return found.slice(0, most);
      }
    }
    return found;
  },
});
