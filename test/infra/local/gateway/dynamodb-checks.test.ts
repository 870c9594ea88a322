import { describe, expect, it } from "@jest/globals";
import { dynamoDbChecks } from "../../../../infra/local/gateway/dynamodb-checks.ts";
import { tableModel } from "../../../support/embedded-dynamodb.ts";
import { tableDefinition } from "../../../support/service-tables.ts";

const scope = { region: "eu-central-1", accountId: "000000000000", tables: [tableModel(tableDefinition("plants"))] };
const plants = "arn:aws:dynamodb:eu-central-1:000000000000:table/plants";
const other = "arn:aws:dynamodb:eu-central-1:000000000000:table/other";
const INSERT = { Statement: `INSERT INTO "plants" VALUE {'scope': ?, 'id': ?}`, Parameters: [{ S: "a" }, { N: "1" }] };
/** An UPDATE with as many parameters as it has question marks. */
const update = (change: string, where = `"scope" = ? AND "id" = ?`) => {
  const Statement = `UPDATE "plants" ${change} WHERE ${where}`;
  return { Statement, Parameters: [...Statement.matchAll(/\?/g)].map(() => ({ S: "a" })) };
};
const batch = (...Statements: unknown[]) => ({ Statements });
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
    [
      "BatchExecuteStatement",
      batch(
        INSERT,
        { ...INSERT, Statement: INSERT.Statement.replace("plants", "other") },
        update(`SET "name" = ?, "note" = ? REMOVE "tag"`, `"scope" = ? AND "id" = ? AND "version" = ?`),
      ),
      [
        ["PartiQLInsert", plants],
        ["PartiQLInsert", other],
        ["PartiQLUpdate", plants],
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
    ["a read in a batch", "BatchExecuteStatement", batch({ ...INSERT, Statement: `SELECT * FROM "plants"` })],
    ["a deletion in a batch", "BatchExecuteStatement", batch({ ...INSERT, Statement: `DELETE FROM "plants"` })],
    ["a batch of no statement", "BatchExecuteStatement", batch()],
    ["a batch of 26 statements", "BatchExecuteStatement", batch(...Array.from({ length: 26 }, () => INSERT))],
    ["a parameter too many", "BatchExecuteStatement", batch({ ...INSERT, Parameters: [...INSERT.Parameters, {}] })],
    ["a missing parameter", "BatchExecuteStatement", batch({ ...INSERT, Parameters: [] })],
    ["an update of a part of the key", "BatchExecuteStatement", batch(update(`SET "name" = ?`, `"scope" = ?`))],
    ["an update that changes the key", "BatchExecuteStatement", batch(update(`SET "id" = ?`))],
    ["an update that removes the key", "BatchExecuteStatement", batch(update(`SET "name" = ? REMOVE "id"`))],
    ["a removal of several attributes", "BatchExecuteStatement", batch(update(`SET "name" = ? REMOVE "a", "b"`))],
    ["a table without quotation marks", "BatchExecuteStatement", batch({ ...INSERT, Statement: "INSERT INTO plants" })],
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
