import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import type { StackModel } from "../../../../infra/local/core/model.ts";
import { readStack } from "../../../../infra/local/stack/read-stack.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

let directory: string;
beforeEach(() => {
  directory = newDirectory("assembly-");
});

const stackArtifact = { type: "aws:cloudformation:stack", properties: { templateFile: "template.json" } };

const writeAssembly = (
  resources: Record<string, unknown>,
  rest: object = {},
  artifacts: object = { Shop: stackArtifact },
) => {
  const files = {
    abc: { source: { path: "asset.abc", packaging: "zip" }, destinations: { one: { objectKey: "abc.zip" } } },
  };
  const assets = { type: "cdk:asset-manifest", properties: { file: "assets.json" } };
  mkdirSync(join(directory, "asset.abc"), { recursive: true });
  writeFileSync(
    join(directory, "manifest.json"),
    JSON.stringify({ artifacts: { ...artifacts, "Shop.assets": assets } }),
  );
  writeFileSync(join(directory, "assets.json"), JSON.stringify({ files }));
  writeFileSync(join(directory, "template.json"), JSON.stringify({ Resources: resources, ...rest }));
};
const read = (resources: Record<string, unknown>, rest: object = {}): Promise<StackModel> => {
  writeAssembly(resources, rest);
  return readStack({ assemblyDirectory: directory, dataDirectory: directory });
};

const trust = {
  Statement: { Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } },
};
const role = { Type: "AWS::IAM::Role", Properties: { AssumeRolePolicyDocument: trust } };
const lambda = (properties: object = {}) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Runtime: "nodejs24.x",
    Handler: "index.handler",
    Role: { "Fn::GetAtt": ["Role", "Arn"] },
    Code: { S3Bucket: "b", S3Key: "abc.zip" },
    ...properties,
  },
});
const functionArn = "arn:aws:lambda:eu-central-1:000000000000:function:Shop-Work";

const integration = (properties: object = {}) => ({
  Type: "AWS::ApiGatewayV2::Integration",
  Properties: {
    ApiId: { Ref: "Api" },
    IntegrationType: "AWS_PROXY",
    IntegrationUri: { "Fn::GetAtt": ["Work", "Arn"] },
    PayloadFormatVersion: "2.0",
    ...properties,
  },
});
const route = (properties: object = {}) => ({
  Type: "AWS::ApiGatewayV2::Route",
  Properties: {
    ApiId: { Ref: "Api" },
    RouteKey: "GET /plants/{id}",
    Target: { "Fn::Join": ["/", ["integrations", { Ref: "Integration" }]] },
    ...properties,
  },
});
const api = { Type: "AWS::ApiGatewayV2::Api", Properties: { Name: "Api", ProtocolType: "HTTP" } };
const stage = (properties: object = {}) => ({
  Type: "AWS::ApiGatewayV2::Stage",
  Properties: { ApiId: { Ref: "Api" }, StageName: "$default", ...properties },
});
const target = (properties: object = {}) => ({ Id: "a", Arn: { "Fn::GetAtt": ["Work", "Arn"] }, ...properties });
const rule = (properties: object = {}) => ({
  Type: "AWS::Events::Rule",
  Properties: { Targets: [target()], ...properties },
});
const hourly = (properties: object = {}) => rule({ ScheduleExpression: "rate(1 hour)", ...properties });
const matching = (properties: object = {}) => rule({ EventPattern: { source: ["shop"] }, ...properties });
const queue = (Properties: object = {}) => ({ Type: "AWS::SQS::Queue", Properties });
const queueArn = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;
const mapping = (properties: object = {}) => ({
  Type: "AWS::Lambda::EventSourceMapping",
  Properties: {
    EventSourceArn: { "Fn::GetAtt": ["Queue", "Arn"] },
    FunctionName: { Ref: "Work" },
    FunctionResponseTypes: ["ReportBatchItemFailures"],
    ...properties,
  },
});
const allow = { Statement: { Effect: "Allow", Action: "dynamodb:*", Resource: "*" } };
const key = (properties: object = {}) => ({ Type: "AWS::KMS::Key", Properties: { KeyPolicy: allow, ...properties } });
const table = (properties: object = {}) => ({
  Type: "AWS::DynamoDB::Table",
  Properties: {
    KeySchema: [{ AttributeName: "k", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "k", AttributeType: "S" }],
    BillingMode: "PAY_PER_REQUEST",
    ...properties,
  },
});
const url = (properties: object = {}) => ({
  Type: "AWS::Lambda::Url",
  Properties: { AuthType: "NONE", TargetFunctionArn: { "Fn::GetAtt": ["Work", "Arn"] }, ...properties },
});
const secret = (properties: object = {}) => ({
  Type: "AWS::SecretsManager::Secret",
  Properties: { GenerateSecretString: { ExcludePunctuation: true }, ...properties },
});
const permission = (properties: object = {}) => ({
  Type: "AWS::Lambda::Permission",
  Properties: { Action: "lambda:InvokeFunction", FunctionName: { Ref: "Work" }, Principal: "*", ...properties },
});
const around = { Role: role, Work: lambda() };

describe("a stack", () => {
  it("has tables and indexes with warm throughput, which the local engine does not need", async () => {
    const warm = { WarmThroughput: { ReadUnitsPerSecond: 40_000, WriteUnitsPerSecond: 8_000 } };
    const index = {
      IndexName: "byName",
      KeySchema: [{ AttributeName: "name", KeyType: "HASH" }],
      Projection: { ProjectionType: "KEYS_ONLY" },
    };
    const { tables } = await read({ X: table({ GlobalSecondaryIndexes: [{ ...index, ...warm }], ...warm }) });
    expect(tables.map(({ definition }) => definition.GlobalSecondaryIndexes)).toEqual([[index]]);
  });

  it("has functions with the defaults of Lambda", async () => {
    const { functions } = await read(around);
    expect(functions).toEqual([
      {
        logicalId: "Work",
        name: "Shop-Work",
        arn: functionArn,
        roleArn: "arn:aws:iam::000000000000:role/Shop-Role",
        codeDirectory: join(directory, "asset.abc"),
        handler: "index.handler",
        environment: {},
        timeoutSeconds: 3,
        memoryMb: 128,
      },
    ]);
  });

  it("has an HTTP API with routes to functions", async () => {
    const {
      httpApis: [httpApi],
    } = await read({
      ...around,
      Api: api,
      Integration: integration(),
      Route: route(),
      Rest: route({ RouteKey: "$default" }),
    });
    expect(httpApi?.arn).toMatch(/^arn:aws:execute-api:eu-central-1:000000000000:\w{10}/);
    expect(httpApi?.routes).toEqual([
      { routeKey: "GET /plants/{id}", functionArn, sourceArn: `${httpApi?.arn}/$default/GET/plants/{id}` },
      { routeKey: "$default", functionArn, sourceArn: `${httpApi?.arn}/$default/$default` },
    ]);
  });

  it("has routes under the role of their integration", async () => {
    const CredentialsArn = { "Fn::GetAtt": ["Role", "Arn"] };
    const { httpApis } = await read({
      ...around,
      Api: api,
      Integration: integration({ CredentialsArn }),
      Route: route(),
    });
    expect(httpApis[0]?.routes).toMatchObject([{ functionArn, roleArn: "arn:aws:iam::000000000000:role/Shop-Role" }]);
  });

  it("has several HTTP APIs, the one with the most routes first", async () => {
    const { httpApis } = await read({
      ...around,
      Small: api,
      Api: api,
      Integration: integration(),
      OfSmall: route({ ApiId: { Ref: "Small" }, RouteKey: "$default" }),
      Route: route(),
      Rest: route({ RouteKey: "$default" }),
    });
    expect(httpApis.map(({ logicalId, routes }) => [logicalId, routes.map(({ routeKey }) => routeKey)])).toEqual([
      ["Api", ["GET /plants/{id}", "$default"]],
      ["Small", ["$default"]],
    ]);
  });

  it("has URLs of its API and functions only if they are given", async () => {
    const asking = (attribute: string[]) => ({
      ...around,
      Api: api,
      Url: url(),
      Asking: lambda({ Environment: { Variables: { URL: { "Fn::GetAtt": attribute } } } }),
    });
    const options = {
      assemblyDirectory: directory,
      dataDirectory: directory,
      urls: new Map([
        ["Api", "http://localhost:3000"],
        ["Url", "http://127.0.0.1:5000"],
      ]),
    };
    await expect(read(asking(["Api", "ApiEndpoint"]))).rejects.toThrow("Fn::GetAtt Api.ApiEndpoint is not supported");
    expect((await readStack(options)).functions[1]?.environment).toEqual({ URL: "http://localhost:3000" });
    await expect(read(asking(["Url", "FunctionUrl"]))).rejects.toThrow("Fn::GetAtt Url.FunctionUrl is not supported");
    const model = await readStack(options);
    expect(model.functions[1]?.environment).toEqual({ URL: "http://127.0.0.1:5000/" });
    expect(model.functionUrls).toMatchObject([{ logicalId: "Url", functionArn }]);
  });

  it("has schedules: rules with an expression", async () => {
    const { schedules } = await read({ ...around, Hourly: hourly(), Off: hourly({ State: "DISABLED", Name: "off" }) });
    expect(schedules).toEqual([
      {
        logicalId: "Hourly",
        name: "Shop-Hourly",
        arn: "arn:aws:events:eu-central-1:000000000000:rule/Shop-Hourly",
        expression: "rate(1 hour)",
        enabled: true,
        targets: [{ id: "a", arn: functionArn }],
      },
      expect.objectContaining({ name: "off", enabled: false }),
    ]);
  });

  it("has rules with a pattern, on their bus; the default bus always exists", async () => {
    const InputTransformer = { InputPathsMap: { one: "$.detail.one" }, InputTemplate: '{"detail":<one>}' };
    const { buses, rules, schedules } = await read({
      ...around,
      Bus: { Type: "AWS::Events::EventBus", Properties: { Name: "alerts" } },
      Queue: queue(),
      Own: matching({
        EventBusName: { Ref: "Bus" },
        Targets: [
          target({
            Arn: { "Fn::GetAtt": ["Queue", "Arn"] },
            InputTransformer,
            DeadLetterConfig: { Arn: { "Fn::GetAtt": ["Queue", "Arn"] } },
          }),
        ],
      }),
      Plain: matching({ State: "DISABLED", Targets: [] }),
    });
    expect(schedules).toEqual([]);
    expect(buses.map(({ name }) => name)).toEqual(["default", "alerts"]);
    expect(rules).toEqual([
      {
        logicalId: "Own",
        name: "Shop-Own",
        arn: "arn:aws:events:eu-central-1:000000000000:rule/alerts/Shop-Own",
        busName: "alerts",
        pattern: { source: ["shop"] },
        enabled: true,
        targets: [
          {
            id: "a",
            arn: queueArn("Shop-Queue"),
            deadLetterArn: queueArn("Shop-Queue"),
            input: { paths: { one: "$.detail.one" }, template: '{"detail":<one>}' },
          },
        ],
      },
      expect.objectContaining({
        arn: "arn:aws:events:eu-central-1:000000000000:rule/Shop-Plain",
        busName: "default",
        enabled: false,
      }),
    ]);
  });

  it("has queues with the defaults of SQS and their policies, and mappings from queues to functions", async () => {
    const Statement = { Effect: "Allow", Principal: { Service: "events.amazonaws.com" }, Action: "sqs:SendMessage" };
    const { queues, resourcePolicies, eventSourceMappings } = await read({
      ...around,
      Queue: queue({ RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": ["Dead", "Arn"] }, maxReceiveCount: 2 } }),
      Dead: queue({ VisibilityTimeout: 60, MessageRetentionPeriod: 1_209_600 }),
      Policy: {
        Type: "AWS::SQS::QueuePolicy",
        Properties: { Queues: [{ Ref: "Queue" }], PolicyDocument: { Statement } },
      },
      Plain: mapping(),
      Small: mapping({ BatchSize: 5, ScalingConfig: { MaximumConcurrency: 2 } }),
    });
    expect(resourcePolicies).toEqual({ [queueArn("Shop-Queue")]: [Statement] });
    expect(queues).toEqual([
      {
        logicalId: "Queue",
        name: "Shop-Queue",
        arn: queueArn("Shop-Queue"),
        visibilityTimeoutSeconds: 30,
        retentionSeconds: 345_600,
        redrive: { deadLetterArn: queueArn("Shop-Dead"), maxReceiveCount: 2 },
      },
      expect.objectContaining({ logicalId: "Dead", visibilityTimeoutSeconds: 60, retentionSeconds: 1_209_600 }),
    ]);
    expect(eventSourceMappings).toEqual([
      { logicalId: "Plain", queueArn: queueArn("Shop-Queue"), functionArn, batchSize: 10 },
      { logicalId: "Small", queueArn: queueArn("Shop-Queue"), functionArn, batchSize: 5, maxConcurrency: 2 },
    ]);
  });

  it("has roles with their own policies, and those that are attached to them", async () => {
    const named = (Sid: string) => ({ Statement: [{ ...allow.Statement, Sid }] });
    const policy = (Sid: string, ...Roles: unknown[]) => ({
      Type: "AWS::IAM::Policy",
      Properties: { PolicyName: Sid, PolicyDocument: named(Sid), Roles },
    });
    const BasicExecution = {
      "Fn::Sub": `arn:\${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole`,
    };
    const { roles } = await read({
      Role: {
        Type: "AWS::IAM::Role",
        Properties: {
          AssumeRolePolicyDocument: trust,
          ManagedPolicyArns: [BasicExecution],
          Policies: [{ PolicyName: "own", PolicyDocument: named("own") }],
        },
      },
      One: policy("one", { Ref: "Role" }),
      Two: policy("two", { Ref: "Role" }, "another"),
      Elsewhere: policy("elsewhere", "another"),
    });
    expect(roles[0]?.statements.map(({ Sid }) => Sid)).toEqual(["own", "one", "two"]);
    expect(roles[0]?.trust).toEqual([trust.Statement]);
  });

  it("has keys with an id and an ARN that stay the same, and their policies", async () => {
    const resources = { Key: key({ EnableKeyRotation: true }), Other: key() };
    const { keys, resourcePolicies } = await read(resources);
    const [made, other] = keys;
    expect(made?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(made?.arn).toBe(`arn:aws:kms:eu-central-1:000000000000:key/${made?.id}`);
    expect(other?.id).not.toBe(made?.id);
    expect(resourcePolicies[made?.arn ?? ""]).toEqual([allow.Statement]);
    expect((await read(resources)).keys).toEqual(keys);
  });

  it("has permissions as statements under the function's ARN", async () => {
    const { resourcePolicies } = await read({
      ...around,
      Rule: permission({ Principal: "events.amazonaws.com", SourceArn: "arn:aws:events:r:1:rule/x" }),
      Url: permission({ FunctionName: functionArn, FunctionUrlAuthType: "NONE" }),
      Invoke: permission({ InvokedViaFunctionUrl: true }),
    });
    expect(resourcePolicies[functionArn]).toMatchObject([
      {
        Principal: { Service: "events.amazonaws.com" },
        Condition: { ArnLike: { "aws:SourceArn": "arn:aws:events:r:1:rule/x" } },
      },
      { Principal: "*", Condition: { StringEquals: { "lambda:FunctionUrlAuthType": "NONE" } } },
      { Principal: "*", Condition: { Bool: { "lambda:InvokedViaFunctionUrl": "true" } } },
    ]);
  });

  it("reports resources that the local cloud ignores", async () => {
    const { notRun } = await read({
      ...around,
      Api: api,
      Stage: stage({ AccessLogSettings: { Format: "x" } }),
      Logs: { Type: "AWS::Logs::LogGroup" },
      Board: { Type: "AWS::CloudWatch::Dashboard", Properties: { DashboardBody: { "Fn::ImportValue": "x" } } },
      Alarm: { Type: "AWS::CloudWatch::Alarm", Properties: { AlarmName: { "Fn::ImportValue": "x" } } },
    });
    expect(notRun).toEqual([
      { logicalId: "Board", type: "AWS::CloudWatch::Dashboard", reason: "no metric is shown" },
      { logicalId: "Alarm", type: "AWS::CloudWatch::Alarm", reason: expect.stringContaining("never raised") },
      { logicalId: "Stage", type: "AWS::ApiGatewayV2::Stage", reason: "no access log is written" },
    ]);
  });

  it("has the assembly's account and region if the assembly names them", async () => {
    writeAssembly({}, {}, { Shop: { ...stackArtifact, environment: "aws://123456789012/eu-west-1" } });
    const options = { assemblyDirectory: directory, dataDirectory: directory };
    expect(await readStack(options)).toMatchObject({ accountId: "123456789012", region: "eu-west-1" });
  });

  it("must be the only one of its assembly; the error names the others", async () => {
    writeAssembly({}, {}, { Shop: stackArtifact, Bar: stackArtifact });
    await expect(readStack({ assemblyDirectory: directory, dataDirectory: directory })).rejects.toThrow("Shop, Bar");
  });
});

describe("unsupported parts of a template", () => {
  const withApi = { Api: api, Integration: integration(), Route: route() };
  const policy = (statement: object) => ({
    Type: "AWS::IAM::Policy",
    Properties: { PolicyDocument: { Statement: [{ ...allow.Statement, ...statement }] }, Roles: [] },
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["an unknown type", { X: { Type: "Custom::Thing" } }, "X: the local cloud does not support Custom::Thing"],
    ["a condition", { X: { ...lambda(), Condition: "Never" } }, "X: the local cloud does not support Condition"],
    [
      "a destination",
      { X: { Type: "AWS::Lambda::EventInvokeConfig" } },
      "X: the local cloud does not support AWS::Lambda",
    ],
    ["a bus policy", { X: { Type: "AWS::Events::EventBusPolicy" } }, "X: the local cloud does not support AWS::Events"],
    [
      "a global table",
      { X: { Type: "AWS::DynamoDB::GlobalTable" } },
      "X: the local cloud does not support AWS::Dynamo",
    ],
    ["an alias of a key", { X: { Type: "AWS::KMS::Alias" } }, "X: the local cloud does not support AWS::KMS::Alias"],
    ["a managed policy", { X: { Type: "AWS::IAM::ManagedPolicy" } }, "X: the local cloud does not support AWS::IAM"],
    ["layers", { X: lambda({ Layers: ["x"] }) }, "X: the local cloud does not support Layers of AWS::Lambda::Function"],
    [
      "a function's dead-letter queue",
      { X: lambda({ DeadLetterConfig: {} }) },
      "X: the local cloud does not support DeadLetterConfig",
    ],
    ["another runtime", { X: lambda({ Runtime: "python3.13" }) }, "X: the local cloud does not support this Runtime"],
    ["code that is no asset", { X: lambda({ Code: { ZipFile: "x" } }) }, "X: the local cloud does not support"],
    ["a missing asset", { X: lambda({ Code: { S3Key: "missing.zip" } }) }, "X: the assembly has no asset missing.zip"],
    [
      "a JSON log format",
      { X: lambda({ LoggingConfig: { LogFormat: "JSON" } }) },
      "X: the local cloud does not support LoggingConfig.LogFormat",
    ],
    [
      "a signed URL",
      { X: url({ AuthType: "AWS_IAM" }) },
      "X: the local cloud does not support this AuthType of AWS::Lambda::Url",
    ],
    [
      "a streaming URL",
      { X: url({ InvokeMode: "RESPONSE_STREAM" }) },
      "X: the local cloud does not support this InvokeMode",
    ],
    ["CORS of a URL", { X: url({ Cors: {} }) }, "X: the local cloud does not support Cors"],
    [
      "a source account",
      { X: permission({ SourceAccount: "1" }) },
      "X: the local cloud does not support SourceAccount",
    ],
    [
      "a WebSocket API",
      { X: { ...api, Properties: { ProtocolType: "WEBSOCKET" } } },
      "X: the local cloud does not support this ProtocolType",
    ],
    [
      "another stage",
      { Api: api, X: stage({ StageName: "v1" }) },
      "X: the local cloud does not support this StageName",
    ],
    [
      "an authorizer",
      { ...withApi, X: route({ AuthorizationType: "JWT" }) },
      "X: the local cloud does not support this AuthorizationType",
    ],
    [
      "any method",
      { ...withApi, X: route({ RouteKey: "ANY /a" }) },
      "X: the local cloud does not support this RouteKey",
    ],
    [
      "a greedy parameter that is not the last",
      { ...withApi, X: route({ RouteKey: "GET /{proxy+}/edit" }) },
      "X: the local cloud does not support this RouteKey",
    ],
    [
      "an HTTP integration",
      { ...withApi, X: integration({ IntegrationType: "HTTP_PROXY" }) },
      "X: the local cloud does not support this IntegrationType",
    ],
    [
      "payload format 1.0",
      { ...withApi, X: integration({ PayloadFormatVersion: "1.0" }) },
      "X: the local cloud does not support this PayloadFormatVersion",
    ],
    [
      "the caller's identity as an integration's credentials",
      { ...withApi, X: integration({ CredentialsArn: "arn:aws:iam::*:user/*" }) },
      "X: the local cloud does not support this CredentialsArn",
    ],
    [
      "an integration's role that the template does not declare",
      {
        Role: role,
        Work: lambda(),
        X: api,
        Integration: integration({ ApiId: { Ref: "X" }, CredentialsArn: "arn:aws:iam::000000000000:role/other" }),
        Route: route({ ApiId: { Ref: "X" } }),
      },
      "X: arn:aws:iam::000000000000:role/other is not a role of the template",
    ],
    [
      "a retry policy",
      { X: matching({ Targets: [target({ RetryPolicy: {} })] }) },
      "X: the local cloud does not support Targets[0].RetryPolicy of AWS::Events::Rule",
    ],
    [
      "a target's dead-letter queue that the template does not declare",
      { X: matching({ Targets: [target({ DeadLetterConfig: { Arn: "x" } })] }) },
      "X: the template declares no dead-letter queue x",
    ],
    [
      "a constant input",
      { X: hourly({ Targets: [target({ Input: "{}" })] }) },
      "X: the local cloud does not support Targets[0].Input",
    ],
    [
      "an input path",
      { X: matching({ Targets: [target({ InputPath: "$.detail" })] }) },
      "X: the local cloud does not support Targets[0].InputPath",
    ],
    [
      "a template's variable",
      { X: matching({ Targets: [target({ InputTransformer: { InputTemplate: "<x>" } })] }) },
      "X: the input of its target a uses <x>",
    ],
    [
      "a stream as target",
      { X: matching({ Targets: [target({ Arn: "arn:aws:kinesis:r:1:stream/x" })] }) },
      "X: arn:aws:kinesis:r:1:stream/x is not a function or a queue of the template",
    ],
    [
      "a pattern's operator",
      { X: matching({ EventPattern: { source: [{ prefix: "a" }] } }) },
      'X: its event pattern: the local cloud does not support {"prefix":"a"} at source',
    ],
    [
      "another cron form",
      { X: hourly({ ScheduleExpression: "cron(0 12 ? * MON-FRI *)" }) },
      "X: the local cloud does not support the schedule expression cron(0 12 ? * MON-FRI *)",
    ],
    [
      "a rule with both",
      { X: hourly({ EventPattern: { source: ["a"] } }) },
      "X: a rule has either a ScheduleExpression or an EventPattern",
    ],
    ["a FIFO queue", { X: queue({ FifoQueue: true }) }, "X: the local cloud does not support FifoQueue"],
    ["a delay", { X: queue({ DelaySeconds: 1 }) }, "X: the local cloud does not support DelaySeconds"],
    [
      "a missing dead-letter queue",
      { X: queue({ RedrivePolicy: { deadLetterTargetArn: "x", maxReceiveCount: 1 } }) },
      "X: the template declares no dead-letter queue x",
    ],
    [
      "a filter",
      { Queue: queue(), X: mapping({ FilterCriteria: {} }) },
      "X: the local cloud does not support FilterCriteria",
    ],
    [
      "a mapping without partial responses",
      { Queue: queue(), X: mapping({ FunctionResponseTypes: [] }) },
      "X: the local cloud does not support this FunctionResponseTypes",
    ],
    [
      "a stream as source",
      { X: mapping({ EventSourceArn: "arn:aws:kinesis:r:1:stream/x" }) },
      "X: the local cloud does not support this EventSourceArn",
    ],
    [
      "a stream of a table",
      { X: table({ StreamSpecification: {} }) },
      "X: the local cloud does not support StreamSpecification",
    ],
    [
      "a local index",
      { X: table({ LocalSecondaryIndexes: [] }) },
      "X: the local cloud does not support LocalSecondaryIndexes",
    ],
    [
      "provisioned capacity",
      { X: table({ BillingMode: "PROVISIONED" }) },
      "X: the local cloud does not support this BillingMode",
    ],
    [
      "an asymmetric key",
      { X: key({ KeySpec: "RSA_2048" }) },
      "X: the local cloud does not support this KeySpec of AWS::KMS::Key",
    ],
    [
      "another secret",
      { X: secret({ GenerateSecretString: { SecretStringTemplate: "{}" } }) },
      "X: the local cloud does not support",
    ],
    [
      "a statement of a role's own policy that is not understood",
      {
        X: {
          ...role,
          Properties: {
            Policies: [{ PolicyName: "x", PolicyDocument: { Statement: { ...allow.Statement, NotAction: "x" } } }],
          },
        },
      },
      "X: the local cloud does not support",
    ],
    [
      "another managed policy",
      { X: { ...role, Properties: { ManagedPolicyArns: ["arn:x"] } } },
      "X: the local cloud does not support this ManagedPolicyArns[0]",
    ],
    ["NotPrincipal", { X: policy({ NotPrincipal: "*" }) }, "X: the local cloud does not support"],
    ["NotAction", { X: policy({ NotAction: "*" }) }, "X: the local cloud does not support"],
    [
      "a function of another intrinsic",
      { X: lambda({ Handler: { "Fn::Select": [0, ["a"]] } }) },
      "X: the local cloud does not support Fn::Select",
    ],
  ])("%s: refused with an explanation", async (_what, resources, sentence) => {
    await expect(read({ ...around, ...resources })).rejects.toThrow(sentence);
  });
});
