import { describe, expect, it } from "@jest/globals";
import { dynamoDbChecks } from "../../../../infra/local/gateway/dynamodb-checks.ts";

const scope = { region: "eu-central-1", accountId: "000000000000" };
const plants = "arn:aws:dynamodb:eu-central-1:000000000000:table/plants";
const other = "arn:aws:dynamodb:eu-central-1:000000000000:table/other";
const single = { TableName: "plants", Key: { scope: { S: "a" } } };

describe("dynamoDbChecks", () => {
  it.each<[string, unknown, [string, string][]]>([
    ["GetItem", single, [["GetItem", plants]]],
    ["PutItem", { TableName: "plants", Item: {} }, [["PutItem", plants]]],
    ["UpdateItem", { ...single, TableName: plants }, [["UpdateItem", plants]]],
    ["DeleteItem", { ...single, TableName: "other" }, [["DeleteItem", other]]],
    ["Query", { TableName: "plants" }, [["Query", plants]]],
    ["Query", { TableName: "plants", IndexName: "byName" }, [["Query", `${plants}/index/byName`]]],
    ["Scan", { TableName: "plants", IndexName: "byName" }, [["Scan", `${plants}/index/byName`]]],
    [
      "BatchGetItem",
      { RequestItems: { plants: { Keys: [] }, other: { Keys: [] } } },
      [
        ["BatchGetItem", plants],
        ["BatchGetItem", other],
      ],
    ],
    ["BatchWriteItem", { RequestItems: { plants: [{ PutRequest: {} }] } }, [["BatchWriteItem", plants]]],
    [
      "TransactWriteItems",
      {
        TransactItems: [
          { Put: { TableName: "plants", Item: {} } },
          { Update: single },
          { Delete: { ...single, TableName: "other" } },
          { ConditionCheck: single },
        ],
      },
      [
        ["PutItem", plants],
        ["UpdateItem", plants],
        ["DeleteItem", other],
        ["ConditionCheckItem", plants],
      ],
    ],
  ])("%s %#", (operation, body, checks) => {
    const wanted = checks.map(([action, resource]) => ({ action: `dynamodb:${action}`, resource }));
    expect(dynamoDbChecks(operation, body, scope)).toEqual(wanted);
  });

  it.each<[string, string, unknown]>([
    ["PartiQL", "ExecuteStatement", { Statement: "SELECT * FROM plants" }],
    ["reads of a transaction", "TransactGetItems", { TransactItems: [{ Get: single }] }],
    ["administration of tables", "DescribeTable", { TableName: "plants" }],
    ["a name from the prototype", "constructor", {}],
    ["a body that is no JSON", "PutItem", undefined],
    ["no table", "GetItem", {}],
    ["an empty batch", "BatchWriteItem", { RequestItems: {} }],
    ["a transaction's item of an unknown kind", "TransactWriteItems", { TransactItems: [{ Touch: single }] }],
    ["an item of two kinds", "TransactWriteItems", { TransactItems: [{ Delete: single, Update: single }] }],
    ["a read among the writes", "TransactWriteItems", { TransactItems: [{ Get: single }] }],
  ])("does not support %s", (_what, operation, body) => {
    expect(dynamoDbChecks(operation, body, scope)).toBeUndefined();
  });
});
