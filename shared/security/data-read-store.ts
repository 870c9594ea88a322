import { createHash } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { putIfUnchanged } from "../runtime/conditional-write.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";

/** How long a marker outlives its minute, for late calls. */
const KEPT_MS = 5 * MINUTE_MS;

/** A user's read of a kind of data within a minute (its start, epoch ms). */
type ReadMinute = { organizationId: string; userId: string; kind: string; minute: number };

/** A digest gives all keys one length and keeps names out of them. */
const digest = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

export type DataReadStore = ReturnType<typeof createDataReadStore>;

/**
 * One item per user, kind of data and minute with a read, in the table of the rollups: partition key `scope`, sort key
 * `period` (`read#2026-11-21T10:31#<digest of user and kind>`). `token` names the call that wrote it; `ttl` in epoch
 * seconds.
 */
export const createDataReadStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Marks a minute; one write unit.
   * @returns whether the minute had no mark, by any instance.
   * @throws DomainError `store_unavailable`; the mark may then be written or not.
   */
  mark: ({ organizationId, userId, kind, minute }: ReadMinute): Promise<boolean> =>
    putIfUnchanged(
      client,
      tableName,
      {
        scope: organizationKey(organizationId),
        period: `read#${new Date(minute).toISOString().slice(0, 16)}#${digest(userId, kind)}`,
        token: newRequestToken(),
        ttl: (minute + MINUTE_MS + KEPT_MS) / 1_000,
      },
      { attribute: "token", previous: undefined },
    ),
});
