import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { App, Duration, Stack } from "aws-cdk-lib";
import { HttpApi, HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Code, Function as LambdaFunctionConstruct, Runtime, RuntimeFamily, Tracing } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { StackModel } from "../../../../infra/local/core/model.ts";
import { createTables } from "../../../../infra/local/dynamodb/tables.ts";
import { startGateway } from "../../../../infra/local/gateway/gateway.ts";
import { createAuthorizer } from "../../../../infra/local/iam/authorizer.ts";
import { readStack } from "../../../../infra/local/stack/read-stack.ts";
import { startTestDynamoDb } from "../../../support/test-dynamodb.ts";

const root = mkdtempSync(join(tmpdir(), "cdk-assembly-"));
const dataDirectory = join(root, "data");
const assemblyDirectory = join(root, "cdk.out");
afterAll(() => rmSync(root, { recursive: true }));

/** A stack as this project writes them: two functions with different grants on one table. */
const synthesize = (): void => {
  const code = join(root, "code");
  mkdirSync(code);
  writeFileSync(join(code, "index.js"), "exports.handler = async () => ({});");
  const app = new App({ outdir: assemblyDirectory, analyticsReporting: false });
  const stack = new Stack(app, "Shop");
  const table = new Table(stack, "Plants", {
    billingMode: BillingMode.PAY_PER_REQUEST,
    partitionKey: { name: "scope", type: AttributeType.STRING },
    sortKey: { name: "id", type: AttributeType.NUMBER },
    timeToLiveAttribute: "expiresAtSeconds",
  });
  table.addGlobalSecondaryIndex({ indexName: "byName", partitionKey: { name: "name", type: AttributeType.STRING } });
  const secret = new Secret(stack, "Key", { generateSecretString: { passwordLength: 40, excludePunctuation: true } });
  const addFunction = (id: string) =>
    new LambdaFunctionConstruct(stack, id, {
      runtime: new Runtime("nodejs24.x", RuntimeFamily.NODEJS),
      handler: "index.handler",
      code: Code.fromAsset(code),
      timeout: Duration.seconds(10),
      memorySize: 512,
      tracing: Tracing.ACTIVE,
      environment: { PLANTS_TABLE_NAME: table.tableName, SIGNING_KEY: secret.secretValue.unsafeUnwrap() },
    });
  const create = addFunction("create-plant");
  table.grant(create, "dynamodb:PutItem");
  const list = addFunction("list-plants");
  table.grantReadData(list);
  const api = new HttpApi(stack, "Api");
  const integration = new HttpLambdaIntegration("List", list);
  api.addRoutes({ path: "/plants/{id}", methods: [HttpMethod.GET], integration });
  new Rule(stack, "Hourly", {
    schedule: Schedule.cron({ minute: "0" }),
    targets: [new LambdaFunction(list)],
  });
  app.synth();
};

let model: StackModel;
beforeAll(async () => {
  synthesize();
  model = await readStack({ assemblyDirectory, dataDirectory });
});

const functionNamed = (name: string) => {
  const found = model.functions.find(({ logicalId }) => logicalId.startsWith(name));
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
};

describe("an assembly made by CDK", () => {
  it("is read with a report of what does nothing here", () => {
    expect(new Set(model.notRun.map(({ reason }) => reason))).toEqual(new Set(["no traces are recorded"]));
    expect(model).toMatchObject({ stackName: "Shop", accountId: "000000000000", region: "eu-central-1" });
  });

  it("has functions with their code, limits and environment", () => {
    const create = functionNamed("createplant");
    expect(create).toMatchObject({ handler: "index.handler", timeoutSeconds: 10, memoryMb: 512 });
    expect(statSync(join(create.codeDirectory, "index.js")).isFile()).toBe(true);
    expect(create.environment).toEqual({
      PLANTS_TABLE_NAME: model.tables[0]?.name,
      SIGNING_KEY: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    });
  });

  it("has the same secret after a restart", async () => {
    const again = await readStack({ assemblyDirectory, dataDirectory });
    expect(again.functions.map(({ environment }) => environment.SIGNING_KEY)).toEqual(
      model.functions.map(({ environment }) => environment.SIGNING_KEY),
    );
  });

  it("has the table as input of CreateTable", () => {
    expect(model.tables).toMatchObject([
      {
        ttlAttribute: "expiresAtSeconds",
        definition: {
          BillingMode: "PAY_PER_REQUEST",
          KeySchema: [
            { AttributeName: "scope", KeyType: "HASH" },
            { AttributeName: "id", KeyType: "RANGE" },
          ],
          GlobalSecondaryIndexes: [{ IndexName: "byName", Projection: { ProjectionType: "ALL" } }],
        },
      },
    ]);
  });

  it("allows the API and the rule to invoke only the function that they name", () => {
    const { judge } = createAuthorizer(model);
    const route = model.httpApis[0]?.routes[0];
    const schedule = model.schedules[0];
    const services = [
      { kind: "service", service: "apigateway.amazonaws.com", sourceArn: route?.sourceArn ?? "" },
      { kind: "service", service: "events.amazonaws.com", sourceArn: schedule?.arn ?? "" },
    ] as const;
    for (const principal of services) {
      const call = { action: "lambda:InvokeFunction", principal };
      expect(judge({ ...call, resource: functionNamed("listplants").arn })).toMatchObject({ allowed: true });
      expect(judge({ ...call, resource: functionNamed("createplant").arn })).toMatchObject({ allowed: false });
    }
  });

  it("has grants that allow each function its work on the real engine, and no more", async () => {
    const database = await startTestDynamoDb();
    await createTables(database.endpoint, model.tables);
    const authorizer = createAuthorizer(model);
    const gateway = await startGateway({ model, authorizer, dynamodbEndpoint: database.endpoint, onDenied: () => {} });
    const [create, list] = ["createplant", "listplants"].map(
      (name) =>
        new DynamoDBClient({
          endpoint: gateway.url,
          region: model.region,
          credentials: gateway.credentialsFor(functionNamed(name).arn),
        }),
    );
    const TableName = model.tables[0]?.name;
    const Key = { scope: { S: "org:a" }, id: { N: "9007199254740993" } };
    const put = new PutItemCommand({ TableName, Item: { ...Key, name: { S: "fern" } } });
    const query = new QueryCommand({
      TableName,
      IndexName: "byName",
      KeyConditionExpression: "#n = :n",
      ExpressionAttributeNames: { "#n": "name" },
      ExpressionAttributeValues: { ":n": { S: "fern" } },
    });
    await create?.send(put);
    expect((await list?.send(query))?.Items).toEqual([{ ...Key, name: { S: "fern" } }]);
    await expect(list?.send(put)).rejects.toMatchObject({ name: "AccessDeniedException" });
    await expect(create?.send(new GetItemCommand({ TableName, Key }))).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
    create?.destroy();
    list?.destroy();
    await gateway.close();
    await database.stop();
  });
});
