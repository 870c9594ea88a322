import { createHash } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { putIfUnchanged } from "../runtime/conditional-write.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";

/** Late calls of a minute must still find its marker; the table forgets it afterwards. */
const KEPT_MS = 5 * MINUTE_MS;

/** Who read what in which minute (its start, epoch ms). */
export type DataRead = { organizationId: string; userId: string; kind: string; minute: number };

/** A digest, so that a key has one length and names nobody. */
const digest = (...parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

export type DataReadStore = ReturnType<typeof createDataReadStore>;

/**
 * One item per user, kind of data and minute with a read, beside the rollups: partition key `scope`, sort key `period`
 * (`read#2026-11-21T10:31#<digest of user and kind>`). `token` names the request that made it; `ttl` in epoch seconds.
 */
export const createDataReadStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Marks a minute; one write unit.
   * @returns whether this was the first mark, of all instances.
   * @throws DomainError `store_unavailable`. The mark may then be there or not.
   */
  mark: ({ organizationId, userId, kind, minute }: DataRead): Promise<boolean> =>
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
