import { statSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { StackModel } from "../../../../infra/local/core/model.ts";
import { createTables } from "../../../../infra/local/dynamodb/tables.ts";
import { startGateway } from "../../../../infra/local/gateway/gateway.ts";
import { createAuthorizer } from "../../../../infra/local/iam/authorizer.ts";
import { readStack } from "../../../../infra/local/stack/read-stack.ts";
import { synthesiseStack } from "../../../support/synthesise-with.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { startTestDynamoDb } from "../../../support/test-dynamodb.ts";

const root = newDirectory("cdk-assembly-");
const dataDirectory = join(root, "data");
let assemblyDirectory: string;

let model: StackModel;
beforeAll(async () => {
  assemblyDirectory = await synthesiseStack(join(import.meta.dirname, "shop-stack.ts"));
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
    expect(model).toMatchObject({ stackName: "test-stack", accountId: "000000000000", region: "eu-central-1" });
  });

  it("has functions with their code, limits and environment", () => {
    const create = functionNamed("createplant");
    expect(create).toMatchObject({ handler: "index.handler", timeoutSeconds: 10, memoryMb: 512 });
    expect(statSync(join(create.codeDirectory, "index.js")).isFile()).toBe(true);
    expect(create.environment).toEqual({
      PLANTS_TABLE_NAME: model.tables[0]?.name,
      SIGNING_KEY_ARN: model.secrets[0]?.arn,
    });
  });

  it("has the bucket with its lifecycle, and its policy", () => {
    const [bucket] = model.buckets;
    expect(bucket).toMatchObject({ expirationDays: 8, abortUploadsAfterDays: 1 });
    expect(bucket?.name).toMatch(/^test-stack-exportsbucket[a-z0-9-]{1,40}$/);
    expect(model.resourcePolicies[`arn:aws:s3:::${bucket?.name}`]).toMatchObject([{ Effect: "Deny", Action: "s3:*" }]);
  });

  it("has the same secret after a restart", async () => {
    const again = await readStack({ assemblyDirectory, dataDirectory });
    expect(model.secrets).toMatchObject([{ value: expect.stringMatching(/^[A-Za-z0-9]{40}$/) }]);
    expect(again.secrets).toEqual(model.secrets);
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
