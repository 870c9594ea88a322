import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { deleteItem, putItem, type Table } from "../runtime/table.ts";
import { queryPage } from "../runtime/table-query.ts";
import type { Scope } from "../terms/caller.ts";
import type { NewPlant, Plant } from "./plant.ts";

/**
 * One item per plant: partition key `scope`, sort key `id` (an int64 in a number attribute, so that order is the
 * number's). `token` names the request that created it. No index, no expiry.
 */
const PlantItem = z.object({
  id: z.union([
    z.bigint(),
    z.pipe(
      z.number(),
      z.transform((id: number) => BigInt(id)),
    ),
  ]),
  name: z.string(),
  tag: z.optional(z.string()),
});

/** The plants of each scope. All calls throw DomainError `store_unavailable` when the table does not answer. */
export const createPlantStore = (table: Table<"plants">) => ({
  /**
   * Adds a plant; costs one write unit.
   * @param token names the request. A repetition with the same token succeeds.
   * @throws DomainError `plant_exists` when the id is taken in this scope, by whichever request came first.
   */
  async create(scope: Scope, { id, name, tag }: NewPlant, token: string): Promise<Plant> {
    const { written } = await putItem(
      table,
      { scope, id, name, tag, token },
      { condition: "attribute_not_exists(#scope)", own: "token" },
    );
    if (!written) throw new DomainError("plant_exists", `id: a plant with the id ${id} exists already`);
    return { name, ...definedFields({ tag }) };
  },

  /**
   * The plants after an id, in ascending order of id. Half a read unit per 4 KB of items; may lag by a second.
   * @param limit the most plants to give back; fewer come, with a next page, where they fill 4 MB.
   */
  async list(scope: Scope, { limit, after }: { limit: number; after: { id: bigint } | undefined }) {
    const position = after && { scope, id: after.id };
    const page = await queryPage(table, { where: "#scope = :scope", values: { scope }, after: position }, limit);
    const items = page.items.map((item) => PlantItem.parse(item));
    return { items, next: page.hasMore ? items.at(-1) : undefined };
  },

  /**
   * Deletes a plant; costs one write unit.
   * @throws DomainError `plant_not_found` when this scope has no plant with the id.
   */
  async delete(scope: Scope, id: bigint): Promise<void> {
    const { written } = await deleteItem(table, { scope, id }, { condition: "attribute_exists(#scope)" });
    if (!written) throw new DomainError("plant_not_found", `id: there is no plant with the id ${id}`);
  },
});
