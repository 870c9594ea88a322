import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient as Client,
  type DynamoDBClient,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { PolicyStatement, StackModel } from "../../../../infra/local/core/model.ts";
import { type Denial, type Gateway, startGateway } from "../../../../infra/local/gateway/gateway.ts";
import { type Authorizer, createAuthorizer } from "../../../../infra/local/iam/authorizer.ts";
import { startEmbeddedDynamoDb, type TestTable, tableModel } from "../../../support/embedded-dynamodb.ts";
import { functionArn, stackModel } from "../../../support/stack-model.ts";
import { usePerFile } from "../../../support/use-started.ts";

const plants: TestTable = {
  TableName: "plants",
  KeySchema: [
    { AttributeName: "scope", KeyType: "HASH" },
    { AttributeName: "id", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "scope", AttributeType: "S" },
    { AttributeName: "id", AttributeType: "N" },
    { AttributeName: "name", AttributeType: "S" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "byName",
      KeySchema: [{ AttributeName: "name", KeyType: "HASH" }],
      Projection: { ProjectionType: "ALL" },
    },
  ],
};
const other: TestTable = { ...plants, TableName: "other" };
const tables = [plants, other].map(tableModel);
const arnOf = (name: string) => `arn:aws:dynamodb:eu-central-1:000000000000:table/${name}`;

const allow = (Action: string | string[], Resource: string | string[]): PolicyStatement => ({
  Effect: "Allow",
  Action,
  Resource,
});

/** One function per role. Tests depend only on the role's permissions. */
const roles: Record<string, PolicyStatement[]> = {
  writer: [allow("dynamodb:PutItem", arnOf("plants"))],
  reader: [allow(["dynamodb:GetItem", "dynamodb:Query", "dynamodb:BatchGetItem"], arnOf("plants"))],
  indexReader: [allow("dynamodb:Query", `${arnOf("plants")}/index/*`)],
  writeData: [
    // The actions of CDK's grantWriteData, which does not include ConditionCheckItem.
    allow(
      ["dynamodb:BatchWriteItem", "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
      arnOf("plants"),
    ),
  ],
  inserter: [allow("dynamodb:PartiQLInsert", arnOf("plants"))],
  checker: [allow(["dynamodb:PutItem", "dynamodb:ConditionCheckItem"], arnOf("plants"))],
  everything: [allow("*", "*")],
  allButDelete: [allow("dynamodb:*", "*"), { Effect: "Deny", Action: "dynamodb:PutItem", Resource: arnOf("other") }],
};

const model: StackModel = stackModel({ roles, tables });

const database = usePerFile(() => startEmbeddedDynamoDb(plants, other));
const gateway = usePerFile(() => open(createAuthorizer(model)));
let denials: Denial[] = [];
const clients: DynamoDBClient[] = [];

const open = async (authorizer: Authorizer): Promise<Gateway> =>
  startGateway({ model, authorizer, dynamodbEndpoint: database.endpoint, onDenied: (denial) => denials.push(denial) });

afterAll(() => {
  for (const client of clients) client.destroy();
});
beforeEach(() => {
  denials = [];
});

const clientOf = (role: string, through = gateway, config = {}): DynamoDBClient => {
  const credentials = through.credentialsFor(functionArn(role));
  const client = new Client({ endpoint: through.url, region: "eu-central-1", credentials, ...config });
  clients.push(client);
  return client;
};

const key = (scope: string, id = "1") => ({ scope: { S: scope }, id: { N: id } });
const item = (scope: string, id = "1") => ({ ...key(scope, id), name: { S: "fern" } });
const put = (TableName: string, scope = "org:a") => new PutItemCommand({ TableName, Item: item(scope) });
const get = (TableName: string, scope = "org:a") => new GetItemCommand({ TableName, Key: key(scope) });
const query = () =>
  new QueryCommand({
    TableName: "plants",
    KeyConditionExpression: "#s = :s",
    ExpressionAttributeNames: { "#s": "scope" },
    ExpressionAttributeValues: { ":s": { S: "org:a" } },
  });
const queryIndex = new QueryCommand({
  TableName: "plants",
  IndexName: "byName",
  KeyConditionExpression: "#n = :n",
  ExpressionAttributeNames: { "#n": "name" },
  ExpressionAttributeValues: { ":n": { S: "fern" } },
});
const batchWrite = (...names: string[]) =>
  new BatchWriteItemCommand({
    RequestItems: Object.fromEntries(names.map((name) => [name, [{ PutRequest: { Item: item("org:a") } }]])),
  });
const batchGet = new BatchGetItemCommand({ RequestItems: { plants: { Keys: [key("org:a")] } } });
const transactWrite = new TransactWriteItemsCommand({
  TransactItems: [
    { Put: { TableName: "plants", Item: item("org:a", "2") } },
    { ConditionCheck: { TableName: "plants", Key: key("org:a"), ConditionExpression: "attribute_exists(id)" } },
  ],
});
const transactPuts = (...names: string[]) =>
  new TransactWriteItemsCommand({
    TransactItems: names.map((TableName) => ({ Put: { TableName, Item: item("org:a", "3") } })),
  });

const insert = (table: string, id: string) => ({
  Statement: `INSERT INTO "${table}" VALUE {'scope': ?, 'id': ?}`,
  Parameters: [{ S: "org:inserted" }, { N: id }],
});
const update = {
  Statement: `UPDATE "plants" SET "name" = ? WHERE "scope" = ? AND "id" = ?`,
  Parameters: [{ S: "moss" }, { S: "org:a" }, { N: "1" }],
};
const statements = (...Statements: { Statement: string; Parameters: AttributeValue[] }[]) =>
  new BatchExecuteStatementCommand({ Statements });

type Send = (client: DynamoDBClient) => Promise<unknown>;

describe("a call that the role allows", () => {
  const allowed: [string, string, Send][] = [
    ["writer", "puts", (client) => client.send(put("plants"))],
    ["reader", "gets", (client) => client.send(get("plants"))],
    ["reader", "queries the table", (client) => client.send(query())],
    ["reader", "gets a batch", (client) => client.send(batchGet)],
    ["indexReader", "queries an index", (client) => client.send(queryIndex)],
    ["writeData", "writes a batch", (client) => client.send(batchWrite("plants"))],
    ["writeData", "writes a transaction", (client) => client.send(transactPuts("plants"))],
    ["checker", "checks a condition within a transaction", (client) => client.send(transactWrite)],
    ["inserter", "inserts by statements", (client) => client.send(statements(insert("plants", "1")))],
    ["allButDelete", "puts where no Deny is", (client) => client.send(put("plants"))],
  ];

  it.each(allowed)("%s %s", async (role, _what, send) => {
    await clientOf("everything").send(put("plants"));
    await expect(send(clientOf(role))).resolves.toMatchObject({ $metadata: { httpStatusCode: 200, attempts: 1 } });
    expect(denials).toEqual([]);
  });
});

describe("a call that the role does not allow", () => {
  const refused: [string, string, Send, string, string][] = [
    ["writer", "gets", (client) => client.send(get("plants")), "dynamodb:GetItem", arnOf("plants")],
    ["writer", "puts elsewhere", (client) => client.send(put("other")), "dynamodb:PutItem", arnOf("other")],
    ["reader", "puts", (client) => client.send(put("plants")), "dynamodb:PutItem", arnOf("plants")],
    [
      "reader",
      "queries an index",
      (client) => client.send(queryIndex),
      "dynamodb:Query",
      `${arnOf("plants")}/index/byName`,
    ],
    ["indexReader", "queries the table", (client) => client.send(query()), "dynamodb:Query", arnOf("plants")],
    [
      "writeData",
      "writes a batch over two tables",
      (client) => client.send(batchWrite("plants", "other")),
      "dynamodb:BatchWriteItem",
      arnOf("other"),
    ],
    [
      "writeData",
      "writes a transaction over two tables",
      (client) => client.send(transactPuts("plants", "other")),
      "dynamodb:PutItem",
      arnOf("other"),
    ],
    [
      "writeData",
      "checks a condition within a transaction",
      (client) => client.send(transactWrite),
      "dynamodb:ConditionCheckItem",
      arnOf("plants"),
    ],
    [
      "inserter",
      "updates by a statement among inserts",
      (client) => client.send(statements(insert("plants", "2"), update)),
      "dynamodb:PartiQLUpdate",
      arnOf("plants"),
    ],
    [
      "inserter",
      "inserts into two tables",
      (client) => client.send(statements(insert("plants", "3"), insert("other", "3"))),
      "dynamodb:PartiQLInsert",
      arnOf("other"),
    ],
    [
      "writeData",
      "inserts by a statement with the right to put",
      (client) => client.send(statements(insert("plants", "4"))),
      "dynamodb:PartiQLInsert",
      arnOf("plants"),
    ],
    ["allButDelete", "puts against a Deny", (client) => client.send(put("other")), "dynamodb:PutItem", arnOf("other")],
    [
      "everything",
      "speaks PartiQL",
      (client) => client.send(new ExecuteStatementCommand({ Statement: "SELECT * FROM plants" })),
      "dynamodb:ExecuteStatement",
      "*",
    ],
  ];

  it.each(refused)("%s %s", async (role, _what, send, action, resource) => {
    const error: unknown = await send(clientOf(role)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "AccessDeniedException", $metadata: { httpStatusCode: 400, attempts: 1 } });
    expect(error).toMatchObject({
      message: expect.stringContaining(
        `User: arn:aws:sts::000000000000:assumed-role/${role}-role/${role} is not authorized to perform: ${action} on resource: ${resource} `,
      ),
    });
    expect(denials).toEqual([{ logicalId: role, action, resource, reason: expect.any(String) }]);
  });

  it("is refused by the policy evaluator only: with an evaluator that allows everything, all calls succeed", async () => {
    const permissive = await open({ judge: () => ({ allowed: true, reason: "negative control" }) });
    const throughJudge = refused.filter(([, , , action]) => action !== "dynamodb:ExecuteStatement");
    const refusedStill: string[] = [];
    for (const [role, what, send] of throughJudge) {
      await send(clientOf(role, permissive)).catch((error: unknown) => refusedStill.push(`${role} ${what}: ${error}`));
    }
    await permissive.close();
    expect(refusedStill).toEqual([]);
    expect(denials).toEqual([]);
  });

  it("writes nothing of a transaction if one of its items is refused", async () => {
    const untouched = { TableName: "plants", Key: key("org:a", "9") };
    const transaction = new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName: "plants", Item: item("org:a", "9") } },
        { Put: { TableName: "other", Item: item("org:a", "9") } },
      ],
    });
    await expect(clientOf("writeData").send(transaction)).rejects.toThrow("dynamodb:PutItem");
    expect((await clientOf("everything").send(new GetItemCommand(untouched))).Item).toBeUndefined();
  });

  it("is refused with the same message as by AWS", async () => {
    await expect(clientOf("writer").send(get("plants"))).rejects.toThrow(
      "because no identity-based policy allows the dynamodb:GetItem action",
    );
    await expect(clientOf("allButDelete").send(put("other"))).rejects.toThrow(
      "with an explicit deny in an identity-based policy",
    );
  });
});

describe("the gateway", () => {
  const call = (authorization: string | undefined, target: string, body: unknown) =>
    fetch(gateway.url, {
      method: "POST",
      headers: { "x-amz-target": target, ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify(body),
    });
  const signedBy = (role: string, service: string) =>
    `AWS4-HMAC-SHA256 Credential=${gateway.credentialsFor(functionArn(role)).accessKeyId}/20260101/eu-central-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

  it("passes on DynamoDB's own errors with their details", async () => {
    const conditional = new PutItemCommand({
      TableName: "plants",
      Item: item("org:a"),
      ConditionExpression: "attribute_not_exists(id)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    await clientOf("everything").send(put("plants"));
    await expect(clientOf("writer").send(conditional)).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
      Item: expect.objectContaining({ name: { S: "fern" } }),
    });
  });

  it("refuses unknown and missing credentials", async () => {
    const stranger = { accessKeyId: "ASIA0000000000000000", secretAccessKey: "x" };
    await expect(clientOf("writer", gateway, { credentials: stranger }).send(put("plants"))).rejects.toMatchObject({
      name: "UnrecognizedClientException",
    });
    const unsigned = await call(undefined, "DynamoDB_20120810.GetItem", {});
    expect(await unsigned.json()).toMatchObject({ __type: expect.stringContaining("MissingAuthenticationToken") });
    expect(() => gateway.credentialsFor("arn:aws:lambda:eu-central-1:000000000000:function:nobody")).toThrow("nobody");
  });

  it("refuses unsupported services and regions, whatever the role allows", async () => {
    const response = await call(signedBy("everything", "sqs"), "AmazonSQS.SendMessage", {});
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining("does not run sqs") });
    await expect(clientOf("everything", gateway, { region: "us-east-1" }).send(put("plants"))).rejects.toThrow(
      "runs eu-central-1 and not us-east-1",
    );
    expect(denials.map(({ action }) => action)).toEqual(["sqs:SendMessage", "dynamodb:PutItem"]);
  });

  it("refuses a body that does not fit the operation", async () => {
    const target = "DynamoDB_20120810.PutItem";
    const response = await call(signedBy("everything", "dynamodb"), target, { TableName: 5 });
    expect(await response.json()).toMatchObject({ __type: "com.amazon.coral.service#AccessDeniedException" });
  });

  it("serves a function whose clock is months ahead", async () => {
    const ahead = clientOf("writer", gateway, { systemClockOffset: 91 * 24 * 3_600_000 });
    await expect(ahead.send(put("plants"))).resolves.toMatchObject({ $metadata: { attempts: 1 } });
  });

  it("causes no retry of a refused call although the clock is ahead: a retry would look like a lost answer", async () => {
    const ahead = Date.now() + 3_600_000;
    const now = jest.spyOn(Date, "now").mockImplementation(() => ahead);
    const refused = new PutItemCommand({ ...put("plants").input, ConditionExpression: "attribute_not_exists(id)" });
    const { name, $metadata } = await clientOf("everything")
      .send(refused)
      .catch((error) => error);
    now.mockRestore();
    expect({ name, attempts: $metadata?.attempts }).toEqual({ name: "ConditionalCheckFailedException", attempts: 1 });
  });

  it("returns a server error if the engine has exited", async () => {
    const engine = await startEmbeddedDynamoDb(plants);
    const orphaned = await startGateway({
      model,
      authorizer: createAuthorizer(model),
      dynamodbEndpoint: engine.endpoint,
      onDenied: () => {},
    });
    await engine.stop();
    await expect(clientOf("writer", orphaned, { maxAttempts: 1 }).send(put("plants"))).rejects.toMatchObject({
      name: "InternalServerError",
    });
    await orphaned.close();
  });
});
