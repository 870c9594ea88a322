import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { getItems } from "../runtime/get-items.ts";
import { readPages } from "../runtime/read-pages.ts";
import { firstIdAt } from "../security/event-id.ts";
import { runKey, stateKey } from "../sync/sync-item.ts";
import { SyncRun } from "../sync/sync-run.ts";
import { organizationIdOf } from "../terms/keys.ts";
import type { RunFact } from "./rules/rule.ts";

const RunItem = z.pick(SyncRun, { id: true, trigger: true, status: true, startedAt: true, finishedAt: true });
const StateItem = z.object({ scope: z.string(), lastSuccessAt: z.optional(z.number()) });

const projection = (names: readonly string[]) => ({
  ProjectionExpression: names.map((name) => `#${name}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
});

/** The least attributes that a run has as a fact. */
const toFact = ({ finishedAt, ...run }: z.output<typeof RunItem>): RunFact => ({
  ...run,
  ...(finishedAt !== undefined && { finishedAt }),
});

export type SyncFactsStore = ReturnType<typeof createSyncFactsStore>;

/**
 * What detection reads of the table of sync runs (shared/sync/sync-item.ts). Reads may lag by a second. Both throw
 * DomainError `store_unavailable`.
 */
export const createSyncFactsStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** The runs that are over and began from one time (inclusive) to another (exclusive), epoch ms, in order. Half a read unit per 4 KB. */
  async endedRuns(organizationId: string, { from, to }: { from: number; to: number }): Promise<RunFact[]> {
    const { scope, key: first } = runKey(organizationId, firstIdAt(from));
    const { key: last } = runKey(organizationId, firstIdAt(to));
    const { ProjectionExpression, ExpressionAttributeNames } = projection(Object.keys(RunItem.shape));
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #key BETWEEN :first AND :last",
      ProjectionExpression,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, "#scope": "scope", "#key": "key" },
      ExpressionAttributeValues: { ":scope": scope, ":first": first, ":last": last },
    });
    const runs: RunFact[] = [];
    for await (const page of pages) runs.push(...page.map((item) => toFact(RunItem.parse(item))));
    return runs;
  },

  /** When each organization's last run that succeeded ended, in epoch ms; those without one are left out. Half a read unit per 4 KB each. */
  async lastSuccesses(organizationIds: readonly string[]): Promise<Map<string, number>> {
    const { items } = await getItems(client, tableName, organizationIds.map(stateKey), {
      ...projection(["scope", "lastSuccessAt"]),
    });
    return new Map(
      items.flatMap((item) => {
        const { scope, lastSuccessAt } = StateItem.parse(item);
        return lastSuccessAt === undefined ? [] : [[organizationIdOf(scope), lastSuccessAt] as const];
      }),
    );
  },
});
