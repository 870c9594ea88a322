import { describe, expect, it } from "@jest/globals";
import { dynamoDbChecks } from "../../../../infra/local/gateway/dynamodb-checks.ts";
import { tableModel } from "../../../support/embedded-dynamodb.ts";
import { stackModel } from "../../../support/stack-model.ts";

const model = stackModel({
  tables: [
    tableModel({
      TableName: "plants",
      KeySchema: [
        { AttributeName: "scope", KeyType: "HASH" },
        { AttributeName: "id", KeyType: "RANGE" },
      ],
      AttributeDefinitions: [],
      GlobalSecondaryIndexes: [
        {
          IndexName: "byName",
          KeySchema: [{ AttributeName: "name", KeyType: "HASH" }],
          Projection: { ProjectionType: "ALL" },
        },
      ],
    }),
  ],
});
const plants = "arn:aws:dynamodb:eu-central-1:000000000000:table/plants";
const other = "arn:aws:dynamodb:eu-central-1:000000000000:table/other";
const key = (scope: string) => ({ scope: { S: scope }, id: { N: "1" } });
const keys = (...values: string[]) => ({ "dynamodb:LeadingKeys": values });
const single = { TableName: "plants", Key: key("a") };

describe("dynamoDbChecks", () => {
  it.each<[string, unknown, unknown[]]>([
    ["GetItem", single, [{ action: "dynamodb:GetItem", resource: plants, context: keys("a") }]],
    [
      "PutItem",
      { TableName: "plants", Item: key("a") },
      [{ action: "dynamodb:PutItem", resource: plants, context: keys("a") }],
    ],
    [
      "UpdateItem",
      { ...single, TableName: plants },
      [{ action: "dynamodb:UpdateItem", resource: plants, context: keys("a") }],
    ],
    [
      "DeleteItem",
      { ...single, TableName: "other" },
      [{ action: "dynamodb:DeleteItem", resource: other, context: keys() }],
    ],
    ["DescribeTable", { TableName: "plants" }, [{ action: "dynamodb:DescribeTable", resource: plants }]],
    ["ListTables", {}, [{ action: "dynamodb:ListTables", resource: "*" }]],
    [
      "Scan",
      { TableName: "plants", IndexName: "byName" },
      [{ action: "dynamodb:Scan", resource: `${plants}/index/byName` }],
    ],
    [
      "BatchGetItem",
      { RequestItems: { plants: { Keys: [key("a"), key("b")] }, other: { Keys: [key("a")] } } },
      [
        { action: "dynamodb:BatchGetItem", resource: plants, context: keys("a", "b") },
        { action: "dynamodb:BatchGetItem", resource: other, context: keys() },
      ],
    ],
    [
      "BatchWriteItem",
      { RequestItems: { plants: [{ PutRequest: { Item: key("a") } }, { DeleteRequest: { Key: key("b") } }] } },
      [{ action: "dynamodb:BatchWriteItem", resource: plants, context: keys("a", "b") }],
    ],
    [
      "TransactWriteItems",
      {
        TransactItems: [
          { Put: { TableName: "plants", Item: key("a") } },
          { Update: single },
          { Delete: { ...single, TableName: "other" } },
          { ConditionCheck: { TableName: "plants", Key: key("c") } },
        ],
      },
      [
        ["PutItem", plants, "a"],
        ["UpdateItem", plants, "a"],
        ["DeleteItem", other],
        ["ConditionCheckItem", plants, "c"],
      ].map(([action, resource, ...leading]) => ({
        action: `dynamodb:${action}`,
        resource,
        context: { "dynamodb:LeadingKeys": leading, "dynamodb:EnclosingOperation": ["TransactWriteItems"] },
      })),
    ],
    [
      "TransactGetItems",
      { TransactItems: [{ Get: single }] },
      [
        {
          action: "dynamodb:GetItem",
          resource: plants,
          context: { ...keys("a"), "dynamodb:EnclosingOperation": ["TransactGetItems"] },
        },
      ],
    ],
  ])("%s", (operation, body, checks) => {
    expect(dynamoDbChecks(operation, body, model)).toEqual(checks);
  });

  const values = { ":s": { S: "a" }, ":i": { N: "5" } };
  it.each<[string, object, string[]]>([
    ["alone", { KeyConditionExpression: "scope = :s" }, ["a"]],
    ["by a placeholder", { KeyConditionExpression: "#s=:s", ExpressionAttributeNames: { "#s": "scope" } }, ["a"]],
    ["behind the sort key", { KeyConditionExpression: "(id BETWEEN :i AND :i) AND (scope = :s)" }, ["a"]],
    ["behind an equal sort key", { KeyConditionExpression: "id = :i AND scope = :s" }, ["a"]],
    ["of an index", { IndexName: "byName", KeyConditionExpression: "name = :s" }, ["a"]],
    [
      "in the old form",
      { KeyConditions: { scope: { ComparisonOperator: "EQ", AttributeValueList: [{ S: "a" }] } } },
      ["a"],
    ],
    ["of a table that the template does not have", { TableName: "other", KeyConditionExpression: "scope = :s" }, []],
  ])("a Query with its partition key %s", (_where, query, leading) => {
    const body = { TableName: "plants", ExpressionAttributeValues: values, ...query };
    expect(dynamoDbChecks("Query", body, model)?.[0]?.context).toEqual(keys(...leading));
  });

  it.each<[string, string, unknown]>([
    ["an operation that is not known", "ExecuteStatement", { Statement: "SELECT * FROM plants" }],
    ["a name from the prototype", "constructor", {}],
    ["a body that is no JSON", "PutItem", undefined],
    ["no table", "DescribeTable", {}],
    ["a batch of nothing", "BatchWriteItem", { RequestItems: {} }],
    ["a transaction's item of an unknown kind", "TransactWriteItems", { TransactItems: [{ Touch: single }] }],
    ["an item of two kinds", "TransactWriteItems", { TransactItems: [{ Delete: single, Update: single }] }],
    ["a read among the writes", "TransactWriteItems", { TransactItems: [{ Get: single }] }],
    [
      "a Query whose partition key is not to be found",
      "Query",
      { TableName: "plants", KeyConditionExpression: ":s = scope" },
    ],
  ])("leaves %s unknown", (_what, operation, body) => {
    expect(dynamoDbChecks(operation, body, model)).toBeUndefined();
  });
});
