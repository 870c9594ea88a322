import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { newRequestToken } from "../runtime/ids.ts";
import type { ConnectedItem } from "./connection-item.ts";
import { createConnectionWriter } from "./connection-write-store.ts";

export type RecordsClaimStore = ReturnType<typeof createRecordsClaimStore>;

/**
 * Whose records an organization stores: while there are records of one account, no other can be connected. One write
 * unit a call; all throw DomainError `store_unavailable` when the table does not answer.
 */
export const createRecordsClaimStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const write = createConnectionWriter(client, tableName);
  return {
    /**
     * Says that records of the account are about to be stored; to be called by each run before its first record, and
     * as often as one likes.
     * @returns false where the connection is not this one any more: nothing may be stored then.
     */
    claimRecords: (
      organizationId: string,
      { connectionId, accountId }: Pick<ConnectedItem, "connectionId" | "accountId">,
    ): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { holdsRecordsOf: accountId, claimedBy: connectionId },
          condition: [
            "#connectionId = :own AND #accountId = :account AND attribute_exists(#connectedShard)",
            "(attribute_not_exists(#holdsRecordsOf) OR #holdsRecordsOf = :account)",
          ].join(" AND "),
          values: { own: connectionId, account: accountId },
        },
        "claimedBy",
      ),

    /**
     * Says that no records are stored any more, once they are all erased, so that another account can be connected.
     * @param claimedBy as it was read before the erasure began (connection-store.ts).
     * @returns false where a connection made since then has claimed them: there may be new ones.
     */
    releaseRecords: (organizationId: string, claimedBy: string): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { token: newRequestToken() },
          remove: ["holdsRecordsOf", "claimedBy"],
          condition: "#claimedBy = :claimedBy AND attribute_not_exists(#connectedShard)",
          values: { claimedBy },
        },
        "token",
      ),
  };
};
