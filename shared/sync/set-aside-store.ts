import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { SetAside } from "../records/set-aside.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { putItem, type Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { DAY_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";

/** An object that is still set aside after this time is named again. */
const KEPT_MS = 30 * DAY_MS;
const WRITES_AT_ONCE = 10;

/** The prefix of the sort keys of marks, beside the runs (sync-item.ts). */
export const SET_ASIDE_PREFIX = "aside#";

const Mark = z.object({ key: z.string(), ttl: z.number() });

type NamedObject = Pick<SetAside, "type" | "name">;

/** A digest in place of the id, which may have any characters and belongs to the provider's data. */
const sortKeyOf = ({ type, name }: NamedObject): string =>
  `${SET_ASIDE_PREFIX}${type}#${createHash("sha256").update(name).digest("base64url")}`;

export type SetAsideStore = ReturnType<typeof createSetAsideStore>;

/**
 * Which objects sync runs have set aside: one item per object, kept for 30 days, so that runs do not name an object again
 * and again. All calls throw DomainError `store_unavailable`.
 */
export const createSetAsideStore = (table: Table<"syncRuns">) => {
  const keyOf = (organizationId: string, object: NamedObject) => ({
    scope: organizationKey(organizationId),
    key: sortKeyOf(object),
  });

  return {
    /** The objects that are not marked, each once; half a read unit each. @param now epoch ms. */
    async unmarked<Object extends NamedObject>(
      organizationId: string,
      objects: readonly Object[],
      now: number,
    ): Promise<Object[]> {
      const unmarked = new Map(objects.map((object) => [sortKeyOf(object), object]));
      const keys = [...unmarked.values()].map((object) => keyOf(organizationId, object));
      const { items } = await getItems(table, keys);
      for (const item of items) {
        const { key, ttl } = Mark.parse(item);
        if (ttl * 1_000 > now) unmarked.delete(key);
      }
      return [...unmarked.values()];
    },

    /** Marks objects; a write unit each. @param now epoch ms. */
    mark: (organizationId: string, objects: readonly NamedObject[], now: number): Promise<void> =>
      inParallel(objects, WRITES_AT_ONCE, async (object) => {
        await putItem(table, { ...keyOf(organizationId, object), ttl: Math.floor((now + KEPT_MS) / 1_000) });
      }),
  };
};
