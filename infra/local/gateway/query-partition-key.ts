import * as z from "zod";

const Value = z.record(z.string(), z.unknown());

const Query = z.object({
  KeyConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: z.record(z.string(), Value).default({}),
  /** The form from before there were expressions. */
  KeyConditions: z
    .record(z.string(), z.object({ ComparisonOperator: z.string(), AttributeValueList: z.array(Value).default([]) }))
    .default({}),
});

/**
 * The attribute value that a Query asks its partition key to equal.
 * @throws Error when there is none to be found: without it, a policy on leading keys would let the query through.
 */
export const partitionKeyOfQuery = (request: unknown, partitionKey: string): Record<string, unknown> => {
  const { KeyConditionExpression, KeyConditions, ExpressionAttributeNames, ExpressionAttributeValues } =
    Query.parse(request);
  const legacy = KeyConditions[partitionKey]?.AttributeValueList[0];
  if (legacy !== undefined) return legacy;
  for (const [, name = "", value = ""] of (KeyConditionExpression ?? "").matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g)) {
    const found = ExpressionAttributeValues[value];
    if ((ExpressionAttributeNames[name] ?? name) === partitionKey && found !== undefined) return found;
  }
  throw new Error(`the query names no value for its partition key ${partitionKey}`);
};
