import { newSalt } from "../runtime/ids.ts";
import { type Table, updateItem } from "../runtime/table.ts";

export type SaltStore = ReturnType<typeof createSaltStore>;

/** Salts of events that were recorded without one, by an older version of the service. */
export const createSaltStore = (table: Table<"securityEvents">) => ({
  /**
   * Gives an event a salt, unless it has one: a write unit, and one for each index with whole events.
   * @param isLate whether the event comes after its hour was sealed.
   * @throws DomainError `store_unavailable`.
   */
  async add(scope: string, id: string, isLate: boolean): Promise<void> {
    await updateItem(
      table,
      { scope, id },
      {
        set: { salt: newSalt(), ...(isLate && { late: true }) },
        condition: "attribute_exists(#id) AND attribute_not_exists(#salt)",
      },
    );
  },
});
