import * as z from "zod/mini";
import { getItem, type Table } from "../../runtime/table.ts";
import { DAY_MS } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import { createDueMarkStore } from "../../work/due-mark-store.ts";
import { moneyDueKey } from "../detection.ts";
import { unjudgedIndex } from "../unjudged-store.ts";

/** The dispatcher lists a mark every hour; one that nothing clears ends. */
const KEPT_MS = 7 * DAY_MS;

const Mark = z.object({ token: z.string() });

export type DueMoneyStore = ReturnType<typeof createDueMoneyStore>;

/**
 * The marks of hours whose money is to be judged. `hour`: its start, epoch ms. All calls throw DomainError
 * `store_unavailable`.
 */
export const createDueMoneyStore = (table: Table<"detection">, { newToken }: { newToken: () => string }) => {
  const marks = createDueMarkStore(table, unjudgedIndex);

  return {
    /** Marks an hour, after its events were counted; two write units. */
    async mark(organizationId: string, hour: number, now: number): Promise<void> {
      const attributes = { token: newToken(), ttl: Math.floor((now + KEPT_MS) / 1_000) };
      await marks.mark(organizationKey(organizationId), moneyDueKey(hour), attributes);
    },

    /** The token of an hour's mark, to clear this mark and no later one; a read unit. Undefined if it is not marked. */
    async token(organizationId: string, hour: number): Promise<string | undefined> {
      const mark = await getItem(table, { scope: organizationKey(organizationId), key: moneyDueKey(hour) });
      return mark && Mark.parse(mark).token;
    },

    /** Clears a mark, unless the hour was marked again; two write units. */
    async clear(organizationId: string, hour: number, token: string): Promise<void> {
      await marks.clear(organizationKey(organizationId), moneyDueKey(hour), token);
    },
  };
};
