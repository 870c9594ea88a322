import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { type Table, updateItem } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { toErasableItem, updatedItem } from "../security/erasable-item.ts";
import { cleanEvent, cleanEventOfUser } from "../security/erase.ts";
import { fromItem } from "../security/event-item.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { organizationKey } from "../terms/keys.ts";
import { createUserMatcher } from "../terms/mentions-user.ts";
import type { Item, ItemUpdate } from "../work/location.ts";
import { type ErasureScope, erasureScopes } from "./erasure.ts";

export const LATE_PREFIX = "late#";

/** The longest duration of an erasure, then the longest that a queue keeps a message, in days; and a day for clock skew. */
const KEPT_SECONDS = (30 + 14 + 1) * 86_400;

const LateItem = z.object({
  key: z.string(),
  what: z.enum(erasureScopes),
  digest: z.optional(z.string()),
  until: z.optional(z.number()),
});

/**
 * How an erasure applies to events that arrive late. `digest` identifies the user of a user's erasure. `until` (epoch ms)
 * is when the erasure completed: it does not apply to later events.
 */
type LateRule = Omit<z.output<typeof LateItem>, "key"> & { erasureId: string };

/** @throws ZodError if the item is not a rule, which is a bug. */
export const parseLateRule = (item: unknown): LateRule => {
  const { key, ...rule } = LateItem.parse(item);
  return { ...rule, erasureId: key.slice(LATE_PREFIX.length) };
};

/** Identifies an erased user: different for each erasure, and deleted with its item. */
export const digestOfUser = (organizationId: string, erasureId: string, userId: string): string =>
  createHash("sha256")
    .update(JSON.stringify([organizationKey(organizationId), erasureId, userId]))
    .digest("base64url");

type NewRule = { id: string; what: ErasureScope; userId?: string | undefined; requestedAt: number };

/** The item that is stored with a request. */
export const lateItemOf = (organizationId: string, { id, what, userId, requestedAt }: NewRule) => ({
  scope: organizationKey(organizationId),
  key: LATE_PREFIX + id,
  what,
  ...(userId !== undefined && { digest: digestOfUser(organizationId, id, userId) }),
  ttl: Math.floor(requestedAt / 1_000) + KEPT_SECONDS,
});

export type LateStore = ReturnType<typeof createLateStore>;

/** The rules of each organization, in the table of its erasures. All calls throw DomainError `store_unavailable`. */
export const createLateStore = (table: Table<"erasures">) => ({
  /** All rules of an organization, read strongly consistent: usually one read unit. */
  async list(organizationId: string): Promise<LateRule[]> {
    const pages = queryPages(table, {
      where: "#scope = :scope AND begins_with(#key, :prefix)",
      values: { scope: organizationKey(organizationId), prefix: LATE_PREFIX },
      isConsistent: true,
    });
    const rules: LateRule[] = [];
    for await (const page of pages) {
      for (const item of page) {
        rules.push(parseLateRule(item));
      }
    }
    return rules;
  },

  /** Stores when an erasure completed. @param until epoch ms. */
  async setUntil(organizationId: string, erasureId: string, until: number): Promise<void> {
    const key = { scope: organizationKey(organizationId), key: LATE_PREFIX + erasureId };
    // An expired rule must not be created again without its other attributes; it is no longer needed.
    await updateItem(table, key, { set: { until }, condition: "attribute_exists(#key)" });
  },
});

const updateBy = (
  { what, digest, erasureId }: LateRule,
  organizationId: string,
  item: Item,
): ItemUpdate | undefined => {
  if (what === "all") return cleanEvent(item);
  const { userId } = item;
  if (typeof userId !== "string" || digestOfUser(organizationId, erasureId, userId) !== digest) return undefined;
  return cleanEventOfUser(item, { userId, matcher: createUserMatcher([userId]), addresses: new Set() });
};

/** Returns the event without the data that the organization's erasures must not bring back. */
export type CleanLateEvent = (event: SecurityEvent) => Promise<SecurityEvent>;

/**
 * Cleans events that could not be recorded in time. They wait in a queue for up to 14 days, which no erasure can sweep.
 * docs/erasure.md, "Copies". The returned function throws DomainError `store_unavailable`; the event must then stay queued.
 */
export const createCleanLateEvent =
  ({ late }: { late: Pick<LateStore, "list"> }): CleanLateEvent =>
  async (event) => {
    const { organizationId, timestamp } = event;
    if (organizationId === undefined) return event;
    let cleaned = event;
    for (const rule of await late.list(organizationId)) {
      if (rule.until !== undefined && timestamp > rule.until) continue;
      const item = toErasableItem(cleaned);
      const update = updateBy(rule, organizationId, item);
      if (update !== undefined) cleaned = fromItem(updatedItem(item, update));
    }
    return cleaned;
  };
