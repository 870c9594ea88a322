import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { queryPage } from "../runtime/query-page.ts";
import { renderUpdate } from "../runtime/render-update.ts";
import { organizationIdOf } from "../terms/keys.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import {
  type ActiveRun,
  activeIndex,
  parseState,
  RUN_ATTRIBUTES,
  RUN_PREFIX,
  RUNS_END,
  runKey,
  type SyncState,
  stateKey,
  toSyncRun,
} from "./sync-item.ts";
import { SyncRun } from "./sync-run.ts";

const Expiring = z.object({ ttl: z.number() });
const Entry = z.object({ scope: z.string() });

export type SyncRunStore = ReturnType<typeof createSyncRunStore>;

/**
 * The sync runs of each organization, for those who ask for them and look at them; who works on them has
 * sync-lease-store.ts, who ends them sync-end-store.ts. Items: sync-item.ts. What is read here is read strongly. All calls
 * throw DomainError `store_unavailable` when the table does not answer.
 */
export const createSyncRunStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const readState = async (organizationId: string): Promise<SyncState> => {
    const command = new GetCommand({ TableName: tableName, Key: stateKey(organizationId), ConsistentRead: true });
    const { Item } = await callStore((options) => client.send(command, options));
    return parseState(Item);
  };

  const queryRuns = async (organizationId: string, limit: number, after: string | undefined) => {
    const { scope, key } = runKey(organizationId, after ?? "");
    const query = {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #key BETWEEN :first AND :last",
      ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
      ExpressionAttributeValues: {
        ":scope": scope,
        ":first": RUN_PREFIX,
        ":last": after === undefined ? RUNS_END : key,
      },
      ...(after !== undefined && { ExclusiveStartKey: { scope, key } }),
      ScanIndexForward: false,
      ConsistentRead: true,
    };
    return queryPage(client, query, limit);
  };

  return {
    /** How an organization's syncing is: one read unit per 4 KB. */
    readState,

    /** When the last run that succeeded ended, in epoch ms; one read unit. */
    async lastSuccess(organizationId: string): Promise<number | undefined> {
      return (await readState(organizationId)).lastSuccessAt;
    },

    /** A run that is over; undefined where there is none. One read unit per 4 KB. */
    async findEnded(organizationId: string, runId: string): Promise<SyncRun | undefined> {
      const command = new GetCommand({
        TableName: tableName,
        Key: runKey(organizationId, runId),
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options));
      return Item && SyncRun.parse(Item);
    },

    /**
     * Puts a run under way, without a worker yet: two write units. Again with the same run it changes nothing.
     * @throws DomainError `sync_running` while another run is under way, be it that nobody works on it at present.
     */
    async start(organizationId: string, run: ActiveRun): Promise<void> {
      const update = renderUpdate({
        set: { run, [activeIndex.partitionKey]: activeIndex.shardOf(stateKey(organizationId).scope) },
        condition: "attribute_not_exists(#run)",
        values: {},
      });
      const command = new UpdateCommand({ TableName: tableName, Key: stateKey(organizationId), ...update });
      try {
        await callStore((options) => client.send(command, options));
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // Our own first try, whose answer was lost; or the same request, made twice at once.
        if ((await readState(organizationId)).run?.id === run.id) return;
        throw new DomainError("sync_running", "A sync run of the organization is under way.");
      }
    },

    /**
     * Takes back a run that no worker has taken yet; up to two write units.
     * @returns whether it is gone.
     */
    async withdraw(organizationId: string, runId: string): Promise<boolean> {
      const update = renderUpdate({
        set: {},
        remove: RUN_ATTRIBUTES,
        condition: "#run.#id = :id AND attribute_not_exists(#leaseUntil)",
        values: { id: runId },
      });
      const command = new UpdateCommand({ TableName: tableName, Key: stateKey(organizationId), ...update });
      try {
        await callStore((options) => client.send(command, options));
        return true;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return (await readState(organizationId)).run?.id !== runId;
      }
    },

    /** The organizations with a run in the index, shard by shard. May lag by a second. Half a read unit per shard and 4 KB. */
    async *listActive(): AsyncGenerator<string, void, void> {
      for await (const item of readIndex(client, tableName, activeIndex))
        yield organizationIdOf(Entry.parse(item).scope);
    },

    /**
     * A page of an organization's runs: the one under way, then those that are over, the last to begin first. One
     * read unit per 4 KB. A run is under way until all that ends it is done.
     * @param page.now epoch ms; what has expired by then is left out.
     */
    async list(
      organizationId: string,
      { limit, after, now }: { limit: number; after: { id: string } | undefined; now: number },
    ): Promise<{ items: SyncRun[]; next: { id: string } | undefined }> {
      // The state comes first: a run that ends between the two reads is then in both rather than in none.
      const { run } = await readState(organizationId);
      const active = after === undefined && run !== undefined ? [toSyncRun(run)] : [];
      // Whoever stands at the run under way has seen no other yet.
      const position = after?.id === run?.id ? undefined : after?.id;
      const { items, hasMore } = await queryRuns(organizationId, limit + 1 - active.length, position);
      const kept = items.filter((item) => Expiring.parse(item).ttl * 1_000 > now).map((item) => SyncRun.parse(item));
      const runs = [...active, ...kept.filter(({ id }) => id !== run?.id)];
      const page = runs.slice(0, limit);
      const last = page.at(-1);
      // They expire in their order, so after the first that has expired there is nothing.
      const isMore = runs.length > limit || (hasMore && kept.length === items.length);
      return { items: page, next: isMore && last !== undefined ? { id: last.id } : undefined };
    },
  };
};
