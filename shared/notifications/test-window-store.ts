/** How many samples an organization may send: ten in a window of a minute, which the first one begins. */
import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import { type Table, unchanged, updateItem } from "../runtime/table.ts";
import { testWindowKey } from "./notification-items.ts";

/** Spec: tests of destinations, 10 a minute and organization. */
export const MAX_TESTS_IN_WINDOW = 10;
const TEST_WINDOW_MS = 60_000;

/** Longer than a window, so that a window that goes on never expires. */
const WINDOW_LIFE_MS = 3_600_000;
/** Each window's end is one race. */
const MAX_ATTEMPTS = 3;

/** `startedAt`: epoch ms. */
const TestWindow = z.object({ startedAt: z.number() });

export type TestWindowStore = ReturnType<typeof createTestWindowStore>;

/** Throws DomainError `store_unavailable`. */
export const createTestWindowStore = (table: Table<"notifications">) => ({
  /**
   * Counts a sample, the same delivery once in a window. One write unit; two if it begins a window.
   * @param now epoch ms. @returns undefined if it may be sent, otherwise when the window ends, epoch ms.
   */
  async count(organizationId: string, deliveryId: string, now: number): Promise<number | undefined> {
    const key = testWindowKey(organizationId);
    const ids = new Set([deliveryId]);
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const joined = await updateItem(table, key, {
        add: { ids },
        condition: "#startedAt > :ended AND (contains(#ids, :id) OR size(#ids) < :most)",
        values: { ended: now - TEST_WINDOW_MS, id: deliveryId, most: MAX_TESTS_IN_WINDOW },
      });
      if (joined.written) return undefined;
      const startedAt = joined.item && TestWindow.parse(joined.item).startedAt;
      if (startedAt !== undefined && startedAt > now - TEST_WINDOW_MS) return startedAt + TEST_WINDOW_MS;
      const begun = await updateItem(table, key, {
        set: { startedAt: now, ids, ttl: Math.ceil((now + WINDOW_LIFE_MS) / 1_000) },
        ...unchanged("startedAt", startedAt),
      });
      if (begun.written) return undefined;
    }
    throw new DomainError("store_unavailable", "Too many samples begin at once. Try again.");
  },
});
