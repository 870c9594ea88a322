import * as z from "zod/mini";
import type { Table } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { startOfHour } from "../../terms/hours.ts";
import { firstIdAt, lastIdAt, timeOfEventId } from "../event-id.ts";
import { isOfDrill } from "../event-item.ts";

const Counted = z.looseObject({ id: z.string(), ttl: z.number() });

export type HourCountStore = ReturnType<typeof createHourCountStore>;

/** Counts the stored events of hours, but not those of drills. */
export const createHourCountStore = (table: Table<"securityEvents">) => ({
  /**
   * The unexpired events of a partition in each hour of a span, by the hour's start; an hour without events has no entry. Half a
   * read unit per 4 KB of events.
   * @param span epoch ms, `to` exclusive. @param now epoch ms. @throws DomainError `store_unavailable`.
   */
  async countHours(
    scope: string,
    { from, to }: { from: number; to: number },
    now: number,
  ): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    const pages = queryPages(table, {
      where: "#scope = :scope AND #id BETWEEN :first AND :last",
      values: { scope, first: firstIdAt(from), last: lastIdAt(to - 1) },
      attributes: ["id", "ttl", "ms", "drill"],
    });
    for await (const page of pages)
      for (const item of page.filter((one) => !isOfDrill(one))) {
        const { id, ttl } = Counted.parse(item);
        const hour = startOfHour(timeOfEventId(id) ?? 0);
        if (ttl * 1_000 > now) counts.set(hour, (counts.get(hour) ?? 0) + 1);
      }
    return counts;
  },
});
