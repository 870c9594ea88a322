/** Which restored items erasures had removed since the restored point, and which erasures must be repeated for that. */
import { isErasureOf, type LaterErasure } from "../../shared/erasure/repeat-store.ts";
import { organizationIdOf } from "../../shared/terms/keys.ts";
import { type TableName, type TableSpec, tables } from "../../shared/terms/tables.ts";
import type { RawItem } from "./items.ts";

/** An erasure does not sweep these tables (shared/erasure/partition-store.ts). */
const UNSWEPT: readonly TableName[] = ["plants", "idempotencyKeys"];

/** The organization whose item it is; undefined for items of none. */
const organizationOf = (table: TableName, item: RawItem): string | undefined => {
  const { partitionKey }: TableSpec = tables[table];
  const key = item[partitionKey]?.S ?? "";
  const own = /^org#[^#]*/.exec(key)?.[0];
  return own === undefined ? undefined : organizationIdOf(own);
};

/** All texts of an attribute value, at any depth, the names of a map's members included. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...textsOf(part)]);
};

/** What may be a user's id in a text: all of it, a word, or a decoded part of a key. */
const candidatesIn = (text: string): string[] => {
  const words = text.split(/[\s"'`,;<>()[\]{}\\]+/);
  const parts = words.flatMap((word) => word.split("#"));
  const decoded = parts.flatMap((part) => {
    try {
      return [decodeURIComponent(part)];
    } catch {
      return [];
    }
  });
  return [text, ...words, ...parts, ...decoded];
};

export type Erased = ReturnType<typeof createErased>;

/** @param erasures that had not completed at the restored point (shared/erasure/repeat-store.ts) */
export const createErased = (table: TableName, erasures: readonly LaterErasure[]) => {
  const byOrganization = Map.groupBy(erasures, ({ organizationId }) => organizationId);
  /** By the erasure's id. */
  const found = new Map<string, { erasure: LaterErasure; userId: string }>();
  return {
    /** Whether all data of the item's organization was erased since. Then the item stays away. */
    isOfErasedOrganization(item: RawItem): boolean {
      if (UNSWEPT.includes(table)) return false;
      const organizationId = organizationOf(table, item);
      const ofItem = organizationId === undefined ? [] : (byOrganization.get(organizationId) ?? []);
      return ofItem.some(({ scope }) => scope === "all");
    },

    /** Remembers the erasures of users whom the item names. */
    lookAt(item: RawItem): void {
      const organizationId = organizationOf(table, item);
      const open = organizationId === undefined ? [] : (byOrganization.get(organizationId) ?? []);
      const wanted = open.filter(({ scope, id }) => scope === "user" && !found.has(id));
      if (wanted.length === 0) return;
      for (const userId of new Set(textsOf(item).flatMap(candidatesIn))) {
        for (const erasure of wanted) if (isErasureOf(erasure, userId)) found.set(erasure.id, { erasure, userId });
      }
    },

    /** The erasures to repeat, with the users' ids. */
    toRepeat: () => [...found.values()],
  };
};
