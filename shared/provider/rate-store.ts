/**
 * The rate of requests to the provider that all instances of all functions share, because the provider limits an account
 * and not an instance: a sync run, five batches of webhook events and a connect may read for one organization at once.
 *
 * One item per organization in the table of runs: `scope`, `key` = `rate`, `nextAt` (epoch ms) the time of the next free
 * slot, `ttl`. A slot is taken by one conditional write.
 */

import * as z from "zod/mini";
import { type Table, updateItem } from "../runtime/table.ts";
import { organizationKey } from "../terms/keys.ts";

/** Slots are 63 ms apart, and 5 at once are free after a pause: no second has more than 21. docs/provider.md. */
export const INTERVAL_MS = 63;
export const BURST = 5;

/** No slot is given further ahead: who waits this long would run out of time. */
export const MAX_BACKLOG_MS = 30_000;

/** Slots never lie this far ahead, so a later time was written by a wrong clock. */
const CLOCK_FAULT_MS = 2 * MAX_BACKLOG_MS;

const KEPT_SECONDS = 86_400;
const DEADLINE_MS = 1_000;
/** Each failed attempt is another instance's success. */
const ATTEMPTS = 5;

const RateItem = z.object({ nextAt: z.number() });

/** `at`: when the request may start, epoch ms, which may be past. `nextAt`: of the item, for the next call. */
export type SharedSlot = { at: number; nextAt: number };

export type RateStore = ReturnType<typeof createRateStore>;

export const createRateStore = (table: Table<"syncRuns">) => ({
  /**
   * Takes the organization's next slot; one write unit, or two if another instance has taken slots since `lastNextAt`.
   * @param lastNextAt of this instance's last slot, if any: a guess which of the two writes will succeed.
   * @returns undefined if all slots of the next 30 s are taken.
   * @throws DomainError `store_unavailable`.
   */
  async take(organizationId: string, now: number, lastNextAt = 0): Promise<SharedSlot | undefined> {
    const floor = now - (BURST - 1) * INTERVAL_MS;
    const [most, fault] = [now + MAX_BACKLOG_MS, now + CLOCK_FAULT_MS];
    const key = { scope: organizationKey(organizationId), key: "rate" };
    const common = {
      returns: "after",
      deadlineMs: DEADLINE_MS,
      set: { ttl: Math.floor(now / 1_000) + KEPT_SECONDS },
    } as const;
    const takeNext = () =>
      updateItem(table, key, {
        ...common,
        also: "#nextAt = #nextAt + :interval",
        condition: "#nextAt > :floor AND #nextAt <= :most",
        values: { interval: INTERVAL_MS, floor, most },
      });
    const takeFirst = () =>
      updateItem(table, key, {
        ...common,
        set: { ...common.set, nextAt: floor + INTERVAL_MS },
        condition: "attribute_not_exists(#nextAt) OR #nextAt <= :floor OR #nextAt > :fault",
        values: { floor, fault },
      });

    let nextAt = lastNextAt;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const isQueued = nextAt > floor && nextAt <= fault;
      if (isQueued && nextAt > most) return undefined;
      const { written, item } = await (isQueued ? takeNext() : takeFirst());
      if (written) {
        const taken = RateItem.parse(item).nextAt;
        return { at: taken - INTERVAL_MS, nextAt: taken };
      }
      nextAt = RateItem.safeParse(item).data?.nextAt ?? 0;
    }
    return undefined;
  },
});
