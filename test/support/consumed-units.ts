import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

type Consumed = { CapacityUnits?: number };

/** The capacity units that calls consumed, indexes included. */
export type Units = { read: number; write: number };

const isRead = (input: object): boolean =>
  "KeyConditionExpression" in input ||
  "ConsistentRead" in input ||
  "ProjectionExpression" in input ||
  ("RequestItems" in input && JSON.stringify(input).includes('"Keys"'));

/** Sums the capacity units that the engine reports for a client's calls: `await measure(() => store.put(…))`. */
export const countUnits = (client: DynamoDBDocumentClient) => {
  let units: Units = { read: 0, write: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
      const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
      const consumed = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      units[isRead(args.input) ? "read" : "write"] += consumed;
      return result;
    },
    { step: "initialize", name: "countUnits" },
  );
  return async (work: () => Promise<unknown>): Promise<Units> => {
    units = { read: 0, write: 0 };
    await work();
    return units;
  };
};
