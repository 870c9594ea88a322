import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { queryPage } from "../runtime/query-page.ts";
import type { Scope } from "../terms/caller.ts";
import type { NewPlant, Plant } from "./plant.ts";

/**
 * One item per plant: partition key `scope`, sort key `id` (an int64 in a number attribute, so that order is the
 * number's). `token` names the request that created it. No index, no expiry.
 */
const PlantItem = z.object({
  id: z.union([
    z.bigint(),
    z.pipe(
      z.number(),
      z.transform((id: number) => BigInt(id)),
    ),
  ]),
  name: z.string(),
  tag: z.optional(z.string()),
});

export type PlantStore = ReturnType<typeof createPlantStore>;

/** The plants of each scope. All calls throw DomainError `store_unavailable` when the table does not answer. */
export const createPlantStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Adds a plant; costs one write unit.
   * @param token names the request. A repetition with the same token succeeds.
   * @throws DomainError `plant_exists` when the id is taken in this scope, whoever came first.
   */
  async create(scope: Scope, { id, name, tag }: NewPlant, token: string): Promise<Plant> {
    const command = new PutCommand({
      TableName: tableName,
      Item: { scope, id, name, tag, token },
      ConditionExpression: "attribute_not_exists(#scope)",
      ExpressionAttributeNames: { "#scope": "scope" },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    const result = await conditionalWrite((options) => client.send(command, options));
    // If the answer to an earlier attempt was lost, the stored plant is this request's own.
    if (!result.written && result.item?.token !== token) {
      throw new DomainError("plant_exists", `id: a plant with the id ${id} exists already`);
    }
    return { name, ...definedFields({ tag }) };
  },

  /**
   * The plants after an id, in ascending order of id. Half a read unit per 4 KB of items; may lag by a second.
   * @param limit the most plants to give back; fewer come, with a next page, where they fill 4 MB.
   */
  async list(scope: Scope, { limit, after }: { limit: number; after: { id: bigint } | undefined }) {
    const query = {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope",
      ExpressionAttributeNames: { "#scope": "scope" },
      ExpressionAttributeValues: { ":scope": scope },
      ...(after && { ExclusiveStartKey: { scope, id: after.id } }),
    };
    const page = await queryPage(client, query, limit);
    const items = page.items.map((item) => PlantItem.parse(item));
    return { items, next: page.hasMore ? items.at(-1) : undefined };
  },

  /**
   * Deletes a plant; costs one write unit.
   * @throws DomainError `plant_not_found` when this scope has no plant with the id.
   */
  async delete(scope: Scope, id: bigint): Promise<void> {
    const command = new DeleteCommand({
      TableName: tableName,
      Key: { scope, id },
      ConditionExpression: "attribute_exists(#scope)",
      ExpressionAttributeNames: { "#scope": "scope" },
    });
    const { written, isRepeated } = await conditionalWrite((options) => client.send(command, options));
    // If the answer to an earlier attempt was lost, that attempt may have deleted the plant. The plant is gone either way.
    if (!written && !isRepeated) throw new DomainError("plant_not_found", `id: there is no plant with the id ${id}`);
  },
});
