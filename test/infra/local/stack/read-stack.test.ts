import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { StackModel } from "../../../../infra/local/core/model.ts";
import { readStack } from "../../../../infra/local/stack/read-stack.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "assembly-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

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

const role = { Type: "AWS::IAM::Role", Properties: { AssumeRolePolicyDocument: {} } };
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
const allowAll = { Statement: { Effect: "Allow", Action: "dynamodb:*", Resource: "*" } };

describe("functions", () => {
  it("are read with the defaults of Lambda", async () => {
    const { functions } = await read({ Role: role, Work: lambda() });
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

  it("say which of their properties are not applied", async () => {
    const { notRun } = await read({
      Role: role,
      Work: lambda({ Layers: ["x"], VpcConfig: {}, ReservedConcurrentExecutions: 2, Tags: [], NewThing: 1 }),
    });
    expect(notRun.map(({ logicalId, reason }) => [logicalId, reason])).toEqual([
      ["Work", expect.stringContaining("layers are not mounted")],
      ["Work", expect.stringContaining("VPC")],
      ["Work", expect.stringContaining("reserved concurrency")],
      ["Work", "its property NewThing is not applied"],
    ]);
  });

  it("do not say so of a property that is AWS::NoValue", async () => {
    expect((await read({ Role: role, Work: lambda({ Layers: { Ref: "AWS::NoValue" } }) })).notRun).toEqual([]);
  });

  it("are left out with their routes and schedules where they cannot be run", async () => {
    const stack = await read({
      Role: role,
      Work: lambda({ Runtime: "python3.13" }),
      Api: { Type: "AWS::ApiGatewayV2::Api", Properties: { Name: "Api", ProtocolType: "HTTP" } },
      Integration: integration(),
      Route: route(),
      Hourly: rule(),
    });
    expect(stack.functions).toEqual([]);
    expect(stack.httpApis[0]?.routes).toEqual([]);
    expect(stack.schedules[0]?.targets).toEqual([]);
    expect(stack.notRun.map(({ logicalId }) => logicalId)).toEqual(["Work", "Api", "Hourly"]);
  });

  it("stop the start without their code, naming themselves", async () => {
    await expect(read({ Role: role, Work: lambda({ Code: { S3Key: "missing.zip" } }) })).rejects.toThrow(
      /^Work: .*missing.zip/,
    );
  });
});

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
const rule = (properties: object = {}) => ({
  Type: "AWS::Events::Rule",
  Properties: {
    ScheduleExpression: "rate(1 hour)",
    Targets: [{ Id: "a", Arn: { "Fn::GetAtt": ["Work", "Arn"] }, Input: '{"a":1}' }],
    ...properties,
  },
});

describe("HTTP APIs", () => {
  const api = { Type: "AWS::ApiGatewayV2::Api", Properties: { Name: "Api", ProtocolType: "HTTP" } };
  const around = { Role: role, Work: lambda(), Api: api };
  const apiArn = /^arn:aws:execute-api:eu-central-1:000000000000:\w{10}/;

  it.each([
    ["the function's ARN", { "Fn::GetAtt": ["Work", "Arn"] }],
    [
      "the path around it",
      { "Fn::Sub": `arn:aws:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/\${Work.Arn}/invocations` },
    ],
  ])("have routes to functions, by %s", async (_what, IntegrationUri) => {
    const { httpApis } = await read({
      ...around,
      Integration: integration({ IntegrationUri }),
      Route: route(),
      Rest: route({ RouteKey: "$default" }),
    });
    expect(httpApis[0]?.arn).toMatch(apiArn);
    expect(httpApis[0]?.routes).toEqual([
      { routeKey: "GET /plants/{id}", functionArn, sourceArn: `${httpApis[0]?.arn}/$default/GET/plants/{id}` },
      { routeKey: "$default", functionArn, sourceArn: `${httpApis[0]?.arn}/$default/$default` },
    ]);
  });

  it("leave out routes whose authorization nothing checks, and integrations of another kind", async () => {
    const { httpApis, notRun } = await read({
      ...around,
      Integration: integration(),
      Guarded: route({ AuthorizationType: "JWT", AuthorizerId: "x" }),
      Proxy: integration({ IntegrationType: "HTTP_PROXY", IntegrationUri: "https://example.com" }),
      Proxied: route({ Target: { "Fn::Join": ["/", ["integrations", { Ref: "Proxy" }]] } }),
    });
    expect(httpApis[0]?.routes).toEqual([]);
    expect(notRun.map(({ logicalId }) => logicalId).sort()).toEqual(["Guarded", "Proxied", "Proxy"]);
  });

  it("know their endpoint only if told", async () => {
    const asking = {
      ...around,
      Work: lambda({ Environment: { Variables: { URL: { "Fn::GetAtt": ["Api", "ApiEndpoint"] } } } }),
    };
    await expect(read(asking)).rejects.toThrow("Work: Fn::GetAtt Api.ApiEndpoint is not understood");
    const options = { assemblyDirectory: directory, dataDirectory: directory, apiUrl: "http://localhost:3000" };
    expect((await readStack(options)).functions[0]?.environment).toEqual({ URL: "http://localhost:3000" });
  });
});

describe("schedules", () => {
  const around = { Role: role, Work: lambda() };
  const retryPolicy = { maximumRetryAttempts: 185, maximumEventAgeSeconds: 86_400 };

  it("are rules with an expression; their input is parsed", async () => {
    const { schedules } = await read({ ...around, Hourly: rule(), Off: rule({ State: "DISABLED", Name: "off" }) });
    expect(schedules).toEqual([
      {
        logicalId: "Hourly",
        name: "Shop-Hourly",
        arn: "arn:aws:events:eu-central-1:000000000000:rule/Shop-Hourly",
        expression: "rate(1 hour)",
        enabled: true,
        targets: [{ id: "a", arn: functionArn, input: { kind: "constant", value: { a: 1 } }, retryPolicy }],
      },
      expect.objectContaining({ name: "off", enabled: false }),
    ]);
  });

  it("say what of them is not run", async () => {
    const target = { Id: "a", Arn: { "Fn::GetAtt": ["Work", "Arn"] }, EcsParameters: {} };
    const stream = { Id: "b", Arn: "arn:aws:kinesis:eu-central-1:000000000000:stream/x" };
    const gone = { Id: "c", Arn: "arn:aws:sqs:eu-central-1:000000000000:elsewhere" };
    const { schedules, notRun } = await read({ ...around, Hourly: rule({ Targets: [target, stream, gone] }) });
    expect(schedules.map(({ targets }) => targets.map(({ id }) => id))).toEqual([["a"]]);
    expect(notRun.map(({ reason }) => reason)).toEqual([
      "the EcsParameters of its target a is not applied",
      expect.stringContaining("neither a function nor a queue"),
      expect.stringContaining("its target c gets nothing"),
    ]);
  });

  it.each([
    [{ Input: "{" }, "is not JSON"],
    [{ InputPath: "$..name" }, "$..name, which is not understood"],
    [{ InputTransformer: { InputTemplate: "<x>" } }, "uses <x>"],
    [{ InputTransformer: { InputPathsMap: { x: "$.a[?(@.b)]" }, InputTemplate: "<x>" } }, "$.a[?(@.b)]"],
  ])("stop the start where a target's input is %j", async (input, problem) => {
    const Targets = [{ Id: "a", Arn: functionArn, ...input }];
    await expect(read({ ...around, Hourly: rule({ Targets }) })).rejects.toThrow(`Hourly: the input of its target a `);
    await expect(read({ ...around, Hourly: rule({ Targets }) })).rejects.toThrow(problem);
  });
});

describe("rules and buses", () => {
  const around = { Role: role, Work: lambda(), Bus: { Type: "AWS::Events::EventBus", Properties: { Name: "alerts" } } };
  const matching = (properties: object) =>
    rule({ ScheduleExpression: { Ref: "AWS::NoValue" }, EventPattern: { source: ["shop"] }, ...properties });

  it("are read with their bus, retries and dead-letter queue; the default bus is always there", async () => {
    const { buses, rules, schedules } = await read({
      ...around,
      Queue: { Type: "AWS::SQS::Queue" },
      Own: matching({
        EventBusName: { Ref: "Bus" },
        Targets: [
          {
            Id: "q",
            Arn: { "Fn::GetAtt": ["Queue", "Arn"] },
            RetryPolicy: { MaximumRetryAttempts: 3 },
            DeadLetterConfig: { Arn: { "Fn::GetAtt": ["Queue", "Arn"] } },
          },
        ],
      }),
      Plain: matching({ State: "DISABLED", Targets: [] }),
    });
    const queueArn = "arn:aws:sqs:eu-central-1:000000000000:Shop-Queue";
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
            id: "q",
            arn: queueArn,
            retryPolicy: { maximumRetryAttempts: 3, maximumEventAgeSeconds: 86_400 },
            deadLetterArn: queueArn,
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

  it("stop the start on a pattern that is not understood", async () => {
    const EventPattern = { detail: { level: [{ sounds: "HIGH" }] } };
    await expect(read({ ...around, Odd: matching({ EventPattern }) })).rejects.toThrow(
      'Odd: its event pattern: detail.level uses {"sounds":"HIGH"}, which is not understood',
    );
  });

  it("have policies, written either way", async () => {
    const statement = { Effect: "Deny", Principal: "*", Action: "events:PutEvents", Resource: "*" };
    const policy = (properties: object) => ({
      Type: "AWS::Events::EventBusPolicy",
      Properties: { StatementId: "s", ...properties },
    });
    const { resourcePolicies } = await read({
      ...around,
      One: policy({ EventBusName: { Ref: "Bus" }, Statement: statement }),
      Other: policy({ Action: "events:PutEvents", Principal: "000000000001" }),
    });
    expect(resourcePolicies).toEqual({
      "arn:aws:events:eu-central-1:000000000000:event-bus/alerts": [{ Sid: "s", ...statement }],
      "arn:aws:events:eu-central-1:000000000000:event-bus/default": [
        expect.objectContaining({ Effect: "Allow", Principal: { AWS: "000000000001" }, Action: "events:PutEvents" }),
      ],
    });
  });
});

describe("queues", () => {
  const queue = (Properties: object = {}) => ({ Type: "AWS::SQS::Queue", Properties });
  const readWithGateway = (resources: Record<string, unknown>) => {
    writeAssembly(resources);
    const gatewayUrl = "http://127.0.0.1:4000";
    return readStack({ assemblyDirectory: directory, dataDirectory: directory, gatewayUrl });
  };
  const redriveTo = (deadLetterTargetArn: unknown) =>
    queue({ RedrivePolicy: { deadLetterTargetArn, maxReceiveCount: 2 } });

  it("have the defaults of SQS, a URL at the gateway and their policies", async () => {
    const Statement = { Effect: "Allow", Principal: { Service: "events.amazonaws.com" }, Action: "sqs:SendMessage" };
    const { functions, queues, resourcePolicies } = await readWithGateway({
      Role: role,
      Work: lambda({ Environment: { Variables: { URL: { Ref: "Queue" } } } }),
      Queue: queue(),
      Policy: {
        Type: "AWS::SQS::QueuePolicy",
        Properties: { Queues: [{ Ref: "Queue" }], PolicyDocument: { Statement } },
      },
    });
    const arn = "arn:aws:sqs:eu-central-1:000000000000:Shop-Queue";
    expect(functions[0]?.environment).toEqual({ URL: "http://127.0.0.1:4000/000000000000/Shop-Queue" });
    expect(resourcePolicies).toEqual({ [arn]: [Statement] });
    expect(queues).toEqual([
      {
        logicalId: "Queue",
        name: "Shop-Queue",
        arn,
        visibilityTimeoutSeconds: 30,
        retentionSeconds: 345_600,
        delaySeconds: 0,
        receiveWaitSeconds: 0,
        maximumMessageBytes: 1_048_576,
      },
    ]);
  });

  it("stop the start where SQS would refuse their dead-letter queue", async () => {
    await expect(read({ Queue: redriveTo("arn:aws:sqs:eu-central-1:000000000000:none") })).rejects.toThrow(
      /^Queue: its dead-letter queue .*none/,
    );
    const closed = queue({ RedriveAllowPolicy: { redrivePermission: "denyAll" } });
    await expect(read({ Queue: redriveTo({ "Fn::GetAtt": ["Dead", "Arn"] }), Dead: closed })).rejects.toThrow(
      "Queue: its dead-letter queue Dead does not serve it",
    );
  });

  it("feed functions by mappings; what is not polled is said", async () => {
    const mapping = (properties: object = {}) => ({
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: { EventSourceArn: { "Fn::GetAtt": ["Queue", "Arn"] }, FunctionName: { Ref: "Work" }, ...properties },
    });
    const { eventSourceMappings, notRun } = await readWithGateway({
      Role: role,
      Work: lambda(),
      Queue: queue(),
      Fifo: queue({ FifoQueue: true }),
      Plain: mapping(),
      Partial: mapping({
        BatchSize: 5,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        ScalingConfig: { MaximumConcurrency: 2 },
      }),
      Off: mapping({ Enabled: false }),
      Filtered: mapping({ FilterCriteria: { Filters: [] } }),
      Stream: mapping({ EventSourceArn: "arn:aws:kinesis:eu-central-1:000000000000:stream/x" }),
      OfFifo: mapping({ EventSourceArn: { "Fn::GetAtt": ["Fifo", "Arn"] } }),
    });
    expect(eventSourceMappings).toMatchObject([
      { logicalId: "Plain", functionArn, batchSize: 10, concurrency: 5, reportBatchItemFailures: false },
      { logicalId: "Partial", functionArn, batchSize: 5, concurrency: 2, reportBatchItemFailures: true },
    ]);
    expect(notRun.map(({ logicalId }) => logicalId).sort()).toEqual(["Fifo", "Filtered", "OfFifo", "Stream"]);
  });
});

describe("asynchronous invocations", () => {
  it("are configured by the function and by its EventInvokeConfig", async () => {
    const arn = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;
    const { asynchronousInvocations, notRun } = await read({
      Role: role,
      Work: lambda({ DeadLetterConfig: { TargetArn: arn("dead") } }),
      Config: {
        Type: "AWS::Lambda::EventInvokeConfig",
        Properties: {
          FunctionName: { Ref: "Work" },
          Qualifier: "$LATEST",
          MaximumRetryAttempts: 0,
          DestinationConfig: {
            OnFailure: { Destination: arn("failed") },
            OnSuccess: { Destination: "arn:aws:sns:eu-central-1:000000000000:topic" },
          },
        },
      },
    });
    expect(asynchronousInvocations).toEqual([
      { functionArn, maximumRetryAttempts: 0, onFailureArn: arn("failed") },
      { functionArn, deadLetterArn: arn("dead") },
    ]);
    expect(notRun.map(({ reason }) => reason)).toEqual([expect.stringContaining("topic gets nothing")]);
  });
});

describe("roles", () => {
  const statements = async (resources: Record<string, unknown>) => (await read(resources)).roles[0]?.statements;
  const named = (Sid: string) => ({ Statement: [{ ...allowAll.Statement, Sid }] });
  const managed = (arn: unknown) => ({ Type: "AWS::IAM::Role", Properties: { ManagedPolicyArns: [arn] } });

  it("have the policies inside, attached and named", async () => {
    const found = await statements({
      Role: {
        Type: "AWS::IAM::Role",
        Properties: {
          Policies: [{ PolicyName: "a", PolicyDocument: named("inside") }],
          ManagedPolicyArns: [
            { Ref: "Managed" },
            { "Fn::Sub": `arn:\${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole` },
          ],
        },
      },
      Attached: {
        Type: "AWS::IAM::Policy",
        Properties: { PolicyDocument: named("attached"), Roles: [{ Ref: "Role" }] },
      },
      Single: {
        Type: "AWS::IAM::RolePolicy",
        Properties: { PolicyDocument: named("single"), RoleName: { Ref: "Role" } },
      },
      Managed: { Type: "AWS::IAM::ManagedPolicy", Properties: { PolicyDocument: named("managed") } },
      Elsewhere: { Type: "AWS::IAM::Policy", Properties: { PolicyDocument: named("elsewhere"), Roles: ["another"] } },
    });
    expect(found?.map(({ Sid, Action }) => Sid ?? Action)).toEqual([
      "inside",
      "attached",
      "single",
      "managed",
      ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"],
    ]);
  });

  it("stop the start on a managed policy that is not known and on what a policy must not say", async () => {
    await expect(statements({ Role: managed("arn:aws:iam::aws:policy/AdministratorAccess") })).rejects.toThrow(
      /^Role: the managed policy .*AdministratorAccess is not known/,
    );
    const PolicyDocument = { Statement: [{ Effect: "Allow", NotPrincipal: "*", Action: "*", Resource: "*" }] };
    await expect(statements({ Wrong: { Type: "AWS::IAM::Policy", Properties: { PolicyDocument } } })).rejects.toThrow(
      /^Wrong: .*NotPrincipal/s,
    );
  });
});

describe("keys", () => {
  const key = (properties: object = {}) => ({ Type: "AWS::KMS::Key", Properties: properties });
  const alias = (target: unknown) => ({
    Type: "AWS::KMS::Alias",
    Properties: { AliasName: "alias/a", TargetKeyId: target },
  });

  it("have an id and an ARN that stay the same, their aliases, and KMS's policy where they have none", async () => {
    const resources = {
      Key: key({ EnableKeyRotation: true }),
      Alias: alias({ Ref: "Key" }),
      Off: key({ Enabled: "false" }),
    };
    const { keys, resourcePolicies, notRun } = await read(resources);
    const [made, off] = keys;
    expect(made).toMatchObject({ logicalId: "Key", aliases: ["alias/a"], isEnabled: true });
    expect(made?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(made?.arn).toBe(`arn:aws:kms:eu-central-1:000000000000:key/${made?.id}`);
    expect(off).toMatchObject({ isEnabled: false });
    expect(off?.id).not.toBe(made?.id);
    expect(resourcePolicies[made?.arn ?? ""]).toEqual([
      {
        Effect: "Allow",
        Principal: { AWS: "arn:aws:iam::000000000000:root" },
        Action: "kms:*",
        Resource: "*",
      },
    ]);
    expect(notRun).toEqual([]);
    expect((await read(resources)).keys).toEqual(keys);
  });

  it("are run only where they are symmetric and KMS's own, and aliases where their key is", async () => {
    const { keys, notRun } = await read({
      Signing: key({ KeySpec: "RSA_2048", KeyUsage: "SIGN_VERIFY" }),
      Imported: key({ Origin: "EXTERNAL" }),
      OfSigning: alias({ "Fn::GetAtt": ["Signing", "Arn"] }),
      Replica: { Type: "AWS::KMS::ReplicaKey" },
    });
    expect(keys).toEqual([]);
    expect(notRun.map(({ logicalId }) => logicalId).sort()).toEqual(["Imported", "OfSigning", "Replica", "Signing"]);
  });
});

describe("function URLs", () => {
  const url = { Type: "AWS::Lambda::Url", Properties: { AuthType: "NONE", TargetFunctionArn: { Ref: "Work" } } };

  it("are not served without their function", async () => {
    const { functionUrls, notRun } = await read({ Role: role, Work: lambda({ Runtime: "python3.13" }), Url: url });
    expect(functionUrls).toEqual([]);
    expect(notRun.map(({ logicalId }) => logicalId)).toEqual(["Work", "Url"]);
  });

  it("have addresses only where a local cloud gives them some", async () => {
    const asking = lambda({ Environment: { Variables: { URL: { "Fn::GetAtt": ["Url", "FunctionUrl"] } } } });
    writeAssembly({ Role: role, Work: lambda(), Asking: asking, Url: url });
    const options = { assemblyDirectory: directory, dataDirectory: directory };
    await expect(readStack(options)).rejects.toThrow("Fn::GetAtt Url.FunctionUrl is not understood");
    const model = await readStack({ ...options, functionUrls: new Map([["Url", "http://127.0.0.1:5000"]]) });
    expect(model.functions[1]?.environment).toEqual({ URL: "http://127.0.0.1:5000/" });
    expect(model.functionUrls).toMatchObject([{ logicalId: "Url", functionArn }]);
  });
});

describe("the rest", () => {
  it("makes statements of permissions, under the function's ARN", async () => {
    const permission = (properties: object) => ({
      Type: "AWS::Lambda::Permission",
      Properties: { Action: "lambda:InvokeFunction", ...properties },
    });
    const { resourcePolicies } = await read({
      Role: role,
      Work: lambda(),
      Rule: permission({
        FunctionName: { Ref: "Work" },
        Principal: "events.amazonaws.com",
        SourceArn: "arn:aws:events:r:1:rule/x",
      }),
      Account: permission({ FunctionName: functionArn, Principal: "000000000001", SourceAccount: "000000000002" }),
    });
    expect(resourcePolicies[functionArn]).toMatchObject([
      {
        Principal: { Service: "events.amazonaws.com" },
        Condition: { ArnLike: { "aws:SourceArn": "arn:aws:events:r:1:rule/x" } },
      },
      { Principal: { AWS: "000000000001" }, Condition: { StringEquals: { "aws:SourceAccount": "000000000002" } } },
    ]);
  });

  it("reads the policy of a table as its resource's", async () => {
    const key = {
      KeySchema: [{ AttributeName: "k", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "k", AttributeType: "S" }],
    };
    const Statement = { Effect: "Deny", Principal: "*", Action: "dynamodb:*", Resource: "*" };
    const { resourcePolicies, tables } = await read({
      Table: {
        Type: "AWS::DynamoDB::Table",
        Properties: { ...key, ResourcePolicy: { PolicyDocument: { Statement } } },
      },
    });
    expect(resourcePolicies[tables[0]?.arn ?? ""]).toEqual([Statement]);
  });

  it("says of every type that it does not know that nothing is done for it", async () => {
    const { notRun } = await read({
      Metadata: { Type: "AWS::CDK::Metadata" },
      Logs: { Type: "AWS::Logs::LogGroup" },
      Alarm: { Type: "AWS::CloudWatch::Alarm", Properties: { AlarmName: { "Fn::ImportValue": "x" } } },
      Strange: { Type: "Custom::Thing" },
    });
    expect(notRun).toEqual([
      { logicalId: "Alarm", type: "AWS::CloudWatch::Alarm", reason: expect.stringContaining("never goes off") },
      { logicalId: "Strange", type: "Custom::Thing", reason: expect.stringContaining("does nothing") },
    ]);
  });

  it("leaves out what is declared under a condition that does not hold", async () => {
    const Conditions = { Never: { "Fn::Equals": ["a", "b"] } };
    const stack = await read(
      { Role: role, Work: { ...lambda(), Condition: "Never" }, Odd: { Type: "Odd", Condition: "Never" } },
      { Conditions },
    );
    expect(stack).toMatchObject({ functions: [], notRun: [] });
  });

  it("takes account and region from the assembly where it is bound to them", async () => {
    writeAssembly({}, {}, { Shop: { ...stackArtifact, environment: "aws://123456789012/eu-west-1" } });
    const options = { assemblyDirectory: directory, dataDirectory: directory };
    expect(await readStack(options)).toMatchObject({ accountId: "123456789012", region: "eu-west-1" });
  });

  it("runs one stack, and says which others there are", async () => {
    writeAssembly({}, {}, { Shop: stackArtifact, Bar: stackArtifact });
    await expect(readStack({ assemblyDirectory: directory, dataDirectory: directory })).rejects.toThrow("Shop, Bar");
  });
});
