import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { CfnIntegration, CfnRoute, HttpApi, HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { CfnRule, EventField, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Code, Function as LambdaFn, Runtime } from "aws-cdk-lib/aws-lambda";
import type { Observation } from "../../../../infra/local/core/observation.ts";
import { isRunning } from "../../../../infra/local/core/processes.ts";
import { functionDirectory } from "../../../support/function-directory.ts";
import { startTestCloud, synthesiseTestStack, type TestCloud } from "../../../support/local-cloud.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Writes an item for each schedule that fires. Over HTTP it makes the requested call, or returns its environment. */
const SOURCE = `
const call = async (operation, body) => {
  const key = process.env.AWS_ACCESS_KEY_ID;
  const response = await fetch(process.env.AWS_ENDPOINT_URL, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0", "x-amz-target": "DynamoDB_20120810." + operation,
      authorization: "AWS4-HMAC-SHA256 Credential=" + key + "/20261121/" + process.env.AWS_REGION + "/dynamodb/aws4_request, SignedHeaders=host, Signature=00",
    },
    body: JSON.stringify({ TableName: process.env.TABLE_NAME, ...body }),
  });
  return response.json();
};
export const handler = async (event) => {
  if (event.fail) throw new Error("asked to fail");
  if (event.source === "aws.events" || event.custom) {
    const rule = event.custom ?? event.resources[0].split("/").pop();
    await call("PutItem", { Item: { id: { S: rule + "/" + Date.now() }, time: { S: event.time ?? "none" }, ttl: { N: String(Math.floor(Date.now() / 1000) + 3600) } } });
    return;
  }
  const { operation, request, seconds } = JSON.parse(event.body ?? "{}");
  if (seconds) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  if (operation) return call(operation, request);
  return { now: Date.now(), pid: process.pid, region: process.env.AWS_REGION, issuer: process.env.ISSUER, greeting: process.env.GREETING, added: process.env.ADDED, api: process.env.API };
};
`;

let assemblyDirectory: string;
let cloud: TestCloud;
const observed: Observation[] = [];
const observedOf = (kind: Observation["kind"]) => observed.filter((observation) => observation.kind === kind);

beforeAll(async () => {
  assemblyDirectory = synthesiseTestStack((stack) => {
    const table = new Table(stack, "Table", {
      billingMode: BillingMode.PAY_PER_REQUEST,
      partitionKey: { name: "id", type: AttributeType.STRING },
      timeToLiveAttribute: "ttl",
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const fn = new LambdaFn(stack, "Fn", {
      runtime: Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: Code.fromAsset(functionDirectory(SOURCE)),
      timeout: Duration.seconds(1),
      environment: { TABLE_NAME: table.tableName, ISSUER: "https://issuer.invalid", GREETING: "hello" },
    });
    table.grantReadData(fn);
    table.grant(fn, "dynamodb:PutItem");
    const api = new HttpApi(stack, "Api");
    const integration = new HttpLambdaIntegration("Integration", fn);
    api.addRoutes({ path: "/work", methods: [HttpMethod.POST], integration });
    fn.addEnvironment("API", api.apiEndpoint);
    // A route whose function does not allow the API to invoke it.
    const bare = new CfnIntegration(stack, "BareIntegration", {
      apiId: api.apiId,
      integrationType: "AWS_PROXY",
      integrationUri: fn.functionArn,
      payloadFormatVersion: "2.0",
    });
    new CfnRoute(stack, "BareRoute", { apiId: api.apiId, routeKey: "GET /locked", target: `integrations/${bare.ref}` });
    // Routes under a role of API Gateway: one role may invoke the function, the other may not.
    for (const [path, resources] of [
      ["/under-a-role", [fn.functionArn]],
      ["/under-a-poor-role", [`${fn.functionArn}-other`]],
    ] as const) {
      const invoke = new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [...resources] });
      const role = new Role(stack, `Role${path.length}`, {
        assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
        inlinePolicies: { Invoke: new PolicyDocument({ statements: [invoke] }) },
      });
      const under = new CfnIntegration(stack, `Integration${path.length}`, {
        apiId: api.apiId,
        integrationType: "AWS_PROXY",
        integrationUri: fn.functionArn,
        payloadFormatVersion: "2.0",
        credentialsArn: role.roleArn,
      });
      const target = `integrations/${under.ref}`;
      new CfnRoute(stack, `Route${path.length}`, { apiId: api.apiId, routeKey: `POST ${path}`, target });
    }
    new Rule(stack, "Hourly", {
      ruleName: "hourly",
      schedule: Schedule.cron({ minute: "0" }),
      targets: [new LambdaFunction(fn)],
    });
    new Rule(stack, "FourHourly", {
      ruleName: "four-hourly",
      schedule: Schedule.rate(Duration.hours(4)),
      targets: [new LambdaFunction(fn)],
    });
    new CfnRule(stack, "LockedOut", {
      name: "locked-out",
      scheduleExpression: "cron(30 * * * ? *)",
      targets: [{ id: "Target", arn: fn.functionArn }],
    });
    new Rule(stack, "Failing", {
      ruleName: "failing",
      enabled: false,
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new LambdaFunction(fn, { event: RuleTargetInput.fromObject({ fail: true, id: EventField.eventId }) })],
    });
    new Rule(stack, "Custom", {
      ruleName: "custom",
      enabled: false,
      schedule: Schedule.rate(Duration.days(1)),
      targets: [
        new LambdaFunction(fn, { event: RuleTargetInput.fromObject({ custom: "from-input", id: EventField.eventId }) }),
      ],
    });
  });
  cloud = await startTestCloud({
    assemblyDirectory,
    environment: { GREETING: "changed", ADDED: "never" },
    observe: (one) => observed.push(one),
  });
});
afterAll(() => cloud.stop());

const work = async (body: unknown = {}) => {
  const response = await cloud.call("POST", "/work", { body });
  return { status: response.status, body: JSON.parse(await response.text()) };
};

const stored = async () => {
  const { body } = await work({ operation: "Scan", request: {} });
  return body.Items.map(({ id }: { id: { S: string } }) => id.S).sort();
};
const listed = async () => JSON.parse(await (await fetch(cloud.stack.controlUrl)).text());

describe("a local cloud with the test's own assembly", () => {
  it("runs the function in its environment: replaces declared variables and adds no others", async () => {
    const { status, body } = await work();
    expect(status).toBe(200);
    expect(body).toEqual({
      now: expect.any(Number),
      pid: expect.any(Number),
      region: cloud.model.region,
      issuer: cloud.stack.issuerUrl,
      greeting: "changed",
      // The template reads the API's endpoint.
      api: cloud.apiUrl,
    });
  });

  it("allows only the calls that the function's role allows, and logs denied calls", async () => {
    const put = await work({ operation: "PutItem", request: { Item: { id: { S: "kept" } } } });
    expect(put.body).toEqual({});
    const { body } = await work({ operation: "DeleteItem", request: { Key: { id: { S: "kept" } } } });
    expect(body).toMatchObject({ __type: expect.stringContaining("AccessDeniedException") });
    expect(cloud.denials).toMatchObject([
      { action: "dynamodb:DeleteItem", logicalId: cloud.model.functions[0]?.logicalId },
    ]);
    expect(cloud.lines).toContainEqual(
      expect.stringMatching(/^local cloud: DENIED .* may not dynamodb:DeleteItem on arn:/),
    );
    expect(await stored()).toContain("kept");
  });

  it("answers 500 for a route that may not invoke its function", async () => {
    expect((await cloud.call("GET", "/locked")).status).toBe(500);
    expect(cloud.lines).toContainEqual(expect.stringContaining("the route GET /locked may not invoke"));
    expect(observedOf("request").at(-1)).toMatchObject({
      target: "/locked",
      status: 500,
      reason: "Internal Server Error",
    });
  });

  it("answers 500 for a route whose role may not invoke its function", async () => {
    expect((await cloud.call("POST", "/under-a-role", { body: {} })).status).toBe(200);
    expect((await cloud.call("POST", "/under-a-poor-role", { body: {} })).status).toBe(500);
    expect(cloud.lines).toContainEqual(
      expect.stringMatching(/the route POST \/under-a-poor-role may not invoke .* because no identity-based policy/),
    );
  });

  it("answers 503 when the function times out, and serves the next request", async () => {
    expect(await work({ seconds: 30 })).toEqual({ status: 503, body: { message: "Service Unavailable" } });
    expect((await work()).status).toBe(200);
    const source = cloud.model.functions[0]?.logicalId;
    expect(observedOf("request").slice(-2)).toMatchObject([
      { method: "POST", target: "/work", status: 503, source, requestId: expect.any(String) },
      { method: "POST", target: "/work", status: 200, source, reason: undefined },
    ]);
  });

  it("describes itself in stack.json", () => {
    expect(cloud.stack).toEqual({
      apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      consoleUrl: `${cloud.stack.apiUrl}/console`,
      issuerUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      providerUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      jwksUrl: `${cloud.stack.issuerUrl}/.well-known/jwks.json`,
      audience: "plant-store",
      dynamodbUrl: expect.stringMatching(/\d$/),
      controlUrl: expect.stringMatching(/\d$/),
      tables: [cloud.model.tables[0]?.name],
      pid: process.pid,
    });
  });
});

describe("control", () => {
  it("lists functions and schedules", async () => {
    const { functions, schedules } = await listed();
    expect(functions).toMatchObject([{ name: cloud.model.functions[0]?.name, instances: 1 }]);
    expect(schedules.map(({ name }: { name: string }) => name).sort()).toEqual([
      "custom",
      "failing",
      "four-hourly",
      "hourly",
      "locked-out",
    ]);
    for (const { name, nextAt } of schedules)
      if (["custom", "failing"].includes(name)) expect(nextAt).toBeUndefined();
      else expect(nextAt).toBeGreaterThan(Date.now());
  });

  it("fires a schedule and answers after its work is done", async () => {
    expect(await cloud.control("/schedules/hourly")).toMatchObject({ status: 200, body: { name: "hourly" } });
    expect((await stored()).filter((id: string) => id.startsWith("hourly/"))).toHaveLength(1);
  });

  it("sends a target's template with its variables filled in", async () => {
    expect((await cloud.control("/schedules/custom")).status).toBe(200);
    expect(await stored()).toContainEqual(expect.stringMatching(/^from-input\//));
  });

  it("tries a failing function three times, then logs that it gave up", async () => {
    expect((await cloud.control("/schedules/failing")).status).toBe(200);
    expect(cloud.lines.filter((line) => line.includes("Invoke Error Error: asked to fail"))).toHaveLength(3);
    expect(cloud.lines).toContainEqual(
      expect.stringMatching(/gave up an event for arn:.* at try 3: Error: asked to fail/),
    );
  });

  it("logs that a rule may not invoke its target", async () => {
    expect((await cloud.control("/schedules/locked-out")).status).toBe(200);
    expect(cloud.lines).toContainEqual(expect.stringContaining("the rule locked-out may not invoke"));
  });

  it.each([
    ["/schedules/nowhere", undefined, 404, "hourly"],
    ["/clock/advance", undefined, 400, "object"],
    ["/clock/advance", { ms: -1 }, 400, "ms"],
    ["/clock/advance", { ms: 1.5 }, 400, "ms"],
    ["/clock/advance", { ms: "1" }, 400, "ms"],
    ["/clock/advance", { ms: 1e15 }, 400, "ms"],
    ["/clock/advance", { ms: 1, minutes: 2 }, 400, "minutes"],
    ["/clock/advance", { ms: 1, firing: "first" }, 400, "firing"],
    ["/clock", {}, 404, "POST /clock/advance"],
  ])("POST %s %j is %i", async (path, body, status, message) => {
    expect(await cloud.control(path, body)).toEqual({ status, body: { message: expect.stringContaining(message) } });
  });

  it("moves the clock: due schedules fire in order, functions and tokens see it, instances stay warm, items expire", async () => {
    const before = await work();
    const [{ coldStarts }] = (await listed()).functions;
    const { status, body } = await cloud.control("/clock/advance", { ms: 2 * DAY, firing: "each" });
    expect(status).toBe(200);
    const { now, fired } = body as { now: number; fired: { name: string; at: number }[] };
    // The first day may have had no firing.
    const days = observedOf("clock").slice(-2);
    expect(days[0]).toMatchObject({ schedules: { hourly: 24, "four-hourly": 6 }, invocations: expect.any(Number) });
    expect(days[1]).toMatchObject({ day: new Date(now).toISOString().slice(0, 10), stoppedAt: expect.any(Number) });
    expect(fired.map(({ at }) => at)).toEqual(fired.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(fired.filter(({ name }) => name === "hourly")).toHaveLength(48);
    expect(fired.filter(({ name }) => name === "four-hourly")).toHaveLength(12);

    const after = await work();
    expect(after.body.now - before.body.now).toBeGreaterThanOrEqual(2 * DAY);
    expect(after.body.now).toBeGreaterThanOrEqual(now);
    expect((await listed()).functions).toMatchObject([{ coldStarts }]);
    expect(after.body.pid).toBe(before.body.pid);

    // Each scheduled run writes an item that expires after one hour. Items of the last hour are not swept.
    const ids: string[] = await stored();
    expect(ids).toContain("kept");
    for (const id of ids.filter((one) => one.startsWith("hourly/")))
      expect(now - Number(id.split("/")[1])).toBeLessThanOrEqual(HOUR);

    const [, payload = ""] = (await cloud.token()).split(".");
    const { iat } = JSON.parse(Buffer.from(payload, "base64url").toString());
    expect(iat * 1000).toBeGreaterThan(now - 1000);
  });

  it("keeps clock and data in its data directory over a restart", async () => {
    const dataDirectory = newDirectory("restart-");
    const first = await startTestCloud({ assemblyDirectory, dataDirectory });
    const item = { operation: "PutItem", request: { Item: { id: { S: "survivor" } } } };
    await first.call("POST", "/work", { body: item });
    await first.control("/clock/advance", { ms: 10 * DAY });
    await first.stop();
    const second = await startTestCloud({ assemblyDirectory, dataDirectory });
    const scan = await second.call("POST", "/work", { body: { operation: "Scan", request: {} } });
    expect(await scan.text()).toContain("survivor");
    const { now } = JSON.parse(await (await second.call("POST", "/work", { body: {} })).text());
    expect(now).toBeGreaterThan(Date.now() + 9 * DAY);
    await second.stop();
  });
});

describe("stop", () => {
  it("leaves no process running and no port open, and may be called twice", async () => {
    const other = await startTestCloud({ assemblyDirectory });
    const { pid } = JSON.parse(await (await other.call("POST", "/work", { body: {} })).text());
    expect(isRunning(pid)).toBe(true);
    const inFlight = other.call("POST", "/work", { body: { seconds: 0.2 } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([other.stop(), other.stop()]);
    expect((await inFlight).status).toBe(200);
    expect(isRunning(pid)).toBe(false);
    for (const url of [other.apiUrl, other.stack.issuerUrl, other.stack.controlUrl, other.stack.dynamodbUrl])
      await expect(fetch(url)).rejects.toThrow();
  });

  it("stops the running parts if a later part does not start", async () => {
    const { port } = new URL(cloud.apiUrl);
    const dataDirectory = newDirectory("taken-");
    const start = () => startTestCloud({ assemblyDirectory, dataDirectory, port: Number(port) });
    await expect(start()).rejects.toThrow(`port ${port} is taken`);
    // The port is still in use. The data directory is free: the first attempt released it.
    await expect(start()).rejects.toThrow(`port ${port} is taken`);
  });
});
