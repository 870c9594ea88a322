/**
 * Erasures that must be done again, because a restored table holds what they had removed: docs/recovery.md. A completed
 * erasure has lost the user's id. Its rule for late events has the digest, by which the id is found among restored items.
 */
import { type Table, updateItem } from "../runtime/table.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import type { ErasureScope } from "./erasure.ts";
import { ERASURE_PREFIX, erasureKey, openErasures, parseErasure } from "./erasure-item.ts";
import { digestOfUser, LATE_PREFIX, parseLateRule } from "./late-store.ts";
import { newWork } from "./passes.ts";

/** An erasure that completed after the restored point, or is open. `digest`: of the user, until its rule has expired. */
export type LaterErasure = {
  organizationId: string;
  id: string;
  scope: ErasureScope;
  isOpen: boolean;
  digest?: string | undefined;
};

/**
 * The erasures that had not completed at a time. Pure.
 * @param items all items of the table of erasures, in any order
 * @param since epoch ms
 */
export const laterErasures = (items: readonly { scope: string; key: string }[], since: number): LaterErasure[] => {
  const rules = new Map(
    items
      .filter(({ key }) => key.startsWith(LATE_PREFIX))
      .map((item) => [`${item.scope} ${item.key.slice(LATE_PREFIX.length)}`, parseLateRule(item).digest]),
  );
  return items
    .filter(({ key }) => key.startsWith(ERASURE_PREFIX))
    .flatMap((item) => {
      const { id, what, status, completedAt } = parseErasure(item);
      if (completedAt !== undefined && completedAt < since) return [];
      const digest = rules.get(`${item.scope} ${id}`);
      return [
        { organizationId: organizationIdOf(item.scope), id, scope: what, isOpen: status !== "completed", digest },
      ];
    });
};

/** Whether it is the erasure of this user. */
export const isErasureOf = ({ organizationId, id, digest }: LaterErasure, userId: string): boolean =>
  digest !== undefined && digestOfUser(organizationId, id, userId) === digest;

/**
 * Opens a completed erasure again: `resume-erasures` requests a worker within the hour, which begins with the first pass.
 * Does nothing to an open one. Two write units. @throws DomainError `store_unavailable`
 */
export const reopenErasure = async (
  table: Table<"erasures">,
  { organizationId, id }: Pick<LaterErasure, "organizationId" | "id">,
  userId: string,
): Promise<void> => {
  await updateItem(table, erasureKey(organizationId, id), {
    set: {
      status: "requested",
      userId,
      work: newWork,
      // A lease that has expired: without one, a young erasure counts as waiting for its first worker.
      leaseUntil: 1,
      openShard: openErasures.shardOf(organizationKey(organizationId)),
    },
    remove: ["completedAt"],
    condition: "#status = :completed",
    values: { completed: "completed" },
  });
};
