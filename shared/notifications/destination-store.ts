import { definedFields } from "../json/defined-fields.ts";
import { deleteItem, getItem, type Table, updateItem } from "../runtime/table.ts";
import { queryPage } from "../runtime/table-query.ts";
import { deletePart, putPart, transact, updatePart } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import { MAX_DESTINATIONS } from "./destination.ts";
import type { UnrecordedChange } from "./notification-events.ts";
import {
  CONFIRMATIONS_KEY,
  COUNT_KEY,
  DELETED_PREFIX,
  DESTINATION_PREFIX,
  type DestinationItem,
  deletedKey,
  destinationKey,
  parseDeletedItem,
  parseDestinationItem,
  silencedKey,
} from "./notification-items.ts";
import type { Silencing } from "./silencing.ts";

/** Confirmation mails of an organization in a day. The limit exists because they go to addresses of strangers. */
const MAX_CONFIRMATIONS_PER_DAY = 50;

/** The attributes that a change may write; undefined removes one. */
export type DestinationChange = Partial<{
  [Name in keyof Omit<DestinationItem, "id" | "type" | "version">]: DestinationItem[Name] | undefined;
}>;

export type DestinationStore = ReturnType<typeof createDestinationStore>;

/** The destinations of organizations; keys in notification-items.ts. All calls throw DomainError `store_unavailable`. */
export const createDestinationStore = (table: Table<"notifications">) => {
  /** At most as many items under a prefix as an organization may have destinations, read strongly, in order of the key. */
  const read = async (organizationId: string, prefix: string) => {
    const query = {
      where: "#scope = :scope AND begins_with(#key, :prefix)",
      values: { scope: organizationKey(organizationId), prefix },
      isConsistent: true,
    };
    return (await queryPage(table, query, MAX_DESTINATIONS)).items;
  };

  const silencingPart = (organizationId: string, silencing: Silencing) =>
    putPart(table, { ...silencedKey(organizationId, silencing), ...silencing });

  const numberKey = (organizationId: string, key: string) => ({ scope: organizationKey(organizationId), key });

  return {
    /** All destinations of an organization, oldest first, read strongly. One read unit per 4 KB. */
    async list(organizationId: string): Promise<DestinationItem[]> {
      return (await read(organizationId, DESTINATION_PREFIX)).map(parseDestinationItem);
    },

    /** Reads strongly: one read unit per 4 KB. */
    async read(organizationId: string, id: string): Promise<DestinationItem | undefined> {
      const item = await getItem(table, destinationKey(organizationId, id));
      return item && parseDestinationItem(item);
    },

    /** Four write units, and two per KB. `exists`: an earlier attempt of the same request has created it. */
    async create(organizationId: string, item: DestinationItem): Promise<"created" | "exists" | "too_many"> {
      const failed = await transact(table, [
        putPart(
          table,
          { ...destinationKey(organizationId, item.id), ...item },
          { condition: "attribute_not_exists(#key)" },
        ),
        updatePart(table, numberKey(organizationId, COUNT_KEY), {
          add: { count: 1 },
          condition: "attribute_not_exists(#count) OR #count < :most",
          values: { most: MAX_DESTINATIONS },
        }),
      ]);
      if (failed.has(0)) return "exists";
      return failed.has(1) ? "too_many" : "created";
    },

    /**
     * Changes a destination if it was not changed by another request since it was read. Tries to send are no such changes.
     * One write unit per KB, and two with a silencing, which is stored in the same transaction.
     * @returns the destination after the change; undefined if another change or the deletion came first.
     */
    async change(
      organizationId: string,
      { id, version: previous }: Pick<DestinationItem, "id" | "version">,
      change: DestinationChange,
      version: string,
      silencing?: Silencing,
    ): Promise<DestinationItem | undefined> {
      const key = destinationKey(organizationId, id);
      const update = {
        set: { ...definedFields(change), version },
        remove: Object.keys(change).filter((name) => change[name as keyof DestinationChange] === undefined),
        condition: "#version = :previous",
        values: { previous },
      };
      if (silencing === undefined) {
        const { written, item } = await updateItem(table, key, { ...update, own: "version", returns: "after" });
        return written ? parseDestinationItem(item) : undefined;
      }
      const parts = [updatePart(table, key, update), silencingPart(organizationId, silencing)];
      if ((await transact(table, parts)).size > 0) return undefined;
      const after = await getItem(table, key);
      return after && parseDestinationItem(after);
    },

    /**
     * Four write units, or six with the change, which is kept until its event is recorded; two more with a silencing.
     * @returns false if there is no such destination.
     */
    async delete(
      organizationId: string,
      id: string,
      change?: UnrecordedChange,
      silencing?: Silencing,
    ): Promise<boolean> {
      const failed = await transact(table, [
        deletePart(table, destinationKey(organizationId, id), { condition: "attribute_exists(#key)" }),
        updatePart(table, numberKey(organizationId, COUNT_KEY), { add: { count: -1 } }),
        ...(change === undefined ? [] : [putPart(table, { ...deletedKey(organizationId, id), change })]),
        ...(silencing === undefined ? [] : [silencingPart(organizationId, silencing)]),
      ]);
      return failed.size === 0;
    },

    /** The change of a destination, or its deletion, whose event is not recorded yet. One or two read units. */
    async readUnrecorded(organizationId: string, id: string): Promise<UnrecordedChange | undefined> {
      const item = await getItem(table, destinationKey(organizationId, id));
      if (item !== undefined) return parseDestinationItem(item).change;
      const deleted = await getItem(table, deletedKey(organizationId, id));
      return deleted && parseDeletedItem(deleted);
    },

    /** The deletions whose events are not recorded yet. One read unit, and often half of one. */
    async listDeletions(organizationId: string): Promise<UnrecordedChange[]> {
      return (await read(organizationId, DELETED_PREFIX)).map(parseDeletedItem);
    },

    /** Removes a change after its event is recorded; a later change stays. One write unit per KB. */
    async forgetChange(
      organizationId: string,
      { action, destination: { id }, version }: UnrecordedChange,
    ): Promise<void> {
      if (action === "delete_destination") {
        await deleteItem(table, deletedKey(organizationId, id));
      } else {
        await updateItem(table, destinationKey(organizationId, id), {
          remove: ["change"],
          condition: "#change.#version = :version",
          values: { version },
        });
      }
    },

    /**
     * Counts a confirmation mail of a day. One write unit.
     * @param day as in `2026-11-21`. @param expiresAt epoch ms.
     * @returns false if the organization had too many that day.
     */
    async countConfirmation(organizationId: string, day: string, expiresAt: number): Promise<boolean> {
      const { written } = await updateItem(table, numberKey(organizationId, CONFIRMATIONS_KEY + day), {
        add: { count: 1 },
        set: { ttl: Math.ceil(expiresAt / 1_000) },
        condition: "attribute_not_exists(#count) OR #count < :most",
        values: { most: MAX_CONFIRMATIONS_PER_DAY },
      });
      return written;
    },
  };
};
