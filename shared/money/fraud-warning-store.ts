/**
 * Which early fraud warnings were a UTC day's first ones, in the table Detection; partition key `scope` (the organization's).
 *
 * - `money#warning#<day>#<place>`: the day's first, second, … early fraud warning.
 */
import * as z from "zod/mini";
import { putItem, type Table } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { dayName } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { ttlOf } from "./money-store.ts";

const WARNING_PREFIX = "money#warning#";

const WarningItem = z.object({ key: z.string(), eventId: z.string(), at: z.number(), payment: z.string() });

/** `at`: the provider's time, epoch ms. */
type Warning = { eventId: string; at: number; payment: string };

/** More warnings of a day have no place of their own. */
export const MAX_PLACES = 10;

export type FraudWarningStore = ReturnType<typeof createFraudWarningStore>;

/** All calls throw DomainError `store_unavailable`. */
export const createFraudWarningStore = (table: Table<"detection">) => ({
  /**
   * The place of an early fraud warning among those of its UTC day, from 1 on, in the order of this call; the same for the
   * same event. A write unit for each place up to it.
   */
  async placeOfWarning(organizationId: string, warning: Warning): Promise<number> {
    const { at, eventId } = warning;
    const scope = organizationKey(organizationId);
    for (let place = 1; place <= MAX_PLACES; place++) {
      const key = { scope, key: `${WARNING_PREFIX}${dayName(at)}#${String(place).padStart(2, "0")}` };
      const { written, item } = await putItem(
        table,
        { ...key, ...warning, ttl: ttlOf(at) },
        { condition: "attribute_not_exists(#key)" },
      );
      if (written || WarningItem.parse(item).eventId === eventId) return place;
    }
    return MAX_PLACES + 1;
  },

  /** The warnings of a time that have a place, by day and place; all times epoch ms, `to` exclusive. */
  async readWarnings(organizationId: string, { from, to }: { from: number; to: number }) {
    const pages = queryPages(table, {
      where: "#scope = :scope AND #key BETWEEN :first AND :last",
      values: {
        scope: organizationKey(organizationId),
        first: WARNING_PREFIX + dayName(from),
        last: `${WARNING_PREFIX}${dayName(to - 1)}#~`,
      },
    });
    const warnings: (Warning & { place: number })[] = [];
    for await (const page of pages) {
      for (const item of page) {
        const { key, ...warning } = WarningItem.parse(item);
        warnings.push({ ...warning, place: Number(key.slice(key.lastIndexOf("#") + 1)) });
      }
    }
    return warnings.filter(({ at }) => at >= from && at < to);
  },
});
