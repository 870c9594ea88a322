import { createHash } from "node:crypto";
import { newRequestToken } from "../runtime/ids.ts";
import { putItem, type Table } from "../runtime/table.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";

/** How long a marker outlives its minute, for late calls. */
const KEPT_MS = 5 * MINUTE_MS;

/** A user's read of a kind of data within a minute (its start, epoch ms). */
type ReadMinute = { organizationId: string; userId: string; kind: string; minute: number };

/** A digest gives all keys one length and keeps names out of them. */
const digest = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** The prefix of the marks' sort keys; the minute follows. */
export const READ_MARKS = "read#";

/** The start of a mark's minute, epoch ms. */
export const timeOfReadMark = (key: string): number =>
  Date.parse(`${key.slice(READ_MARKS.length).split("#", 1)[0]}:00Z`);

export type DataReadStore = ReturnType<typeof createDataReadStore>;

/**
 * One item per user, kind of data and minute with a read, in the table of the rollups: partition key `scope`, sort key
 * `period` (`read#2026-11-21T10:31#<digest of user and kind>`). `token` names the call that wrote it; `ttl` in epoch
 * seconds.
 */
export const createDataReadStore = (table: Table<"securityRollups">) => ({
  /**
   * Marks a minute; one write unit.
   * @returns whether the minute had no mark, by any instance.
   * @throws DomainError `store_unavailable`; the mark may then be written or not.
   */
  async mark({ organizationId, userId, kind, minute }: ReadMinute): Promise<boolean> {
    const item = {
      scope: organizationKey(organizationId),
      period: `${READ_MARKS}${new Date(minute).toISOString().slice(0, 16)}#${digest(userId, kind)}`,
      token: newRequestToken(),
      ttl: (minute + MINUTE_MS + KEPT_MS) / 1_000,
    };
    return (await putItem(table, item, { condition: "attribute_not_exists(#token)", own: "token" })).written;
  },
});
