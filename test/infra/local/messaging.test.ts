import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Duration, type Stack } from "aws-cdk-lib";
import { CfnRule, EventBus, EventField, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction, SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Code, type FunctionProps, Function as LambdaFn, Runtime } from "aws-cdk-lib/aws-lambda";
import { EventBridgeDestination, SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { functionDirectory } from "../../support/function-directory.ts";
import { startTestCloud, synthesiseTestStack, type TestCloud } from "../../support/local-cloud.ts";

/** Makes the calls that it is told to make, after a pause where the test wants to see who waits. */
const CALLER = `
const call = async ({ service, target, body }) => {
  const response = await fetch(process.env.AWS_ENDPOINT_URL, {
    method: "POST",
    headers: {
      "x-amz-target": target,
      authorization: "AWS4-HMAC-SHA256 Credential=" + process.env.AWS_ACCESS_KEY_ID + "/20261121/" + process.env.AWS_REGION + "/" + service + "/aws4_request, SignedHeaders=host, Signature=00",
    },
    body: JSON.stringify(body),
  });
  return response.json();
};
const put = (detailType, detail) => call({ service: "events", target: "AWSEvents.PutEvents", body: { Entries: [
  { EventBusName: process.env.BUS, Source: "shop", DetailType: detailType, Detail: JSON.stringify(detail) },
] } });
const send = (body) => call({ service: "sqs", target: "AmazonSQS.SendMessage", body: { QueueUrl: process.env.QUEUE_URL, MessageBody: body } });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;
const PUBLISHER = `${CALLER}
export const handler = async (event) => {
  if (event.put) return put(event.put, event.detail ?? {});
  if (event.send) return Promise.all(event.send.map(send));
  if (event.source === "aws.events") await put("Work", { n: 1 });
};`;
const LISTENER = `${CALLER}
export const handler = async (event) => {
  await pause(150);
  await send("heard " + (event["detail-type"] ?? JSON.stringify(event)));
};`;
const WORKER = `${CALLER}
export const handler = async ({ Records }) => {
  await pause(100);
  const bad = Records.filter(({ body }) => body.startsWith("bad"));
  for (const { body } of Records) if (body.startsWith("throw")) throw new Error("asked to fail");
  console.log("worked on " + Records.map(({ body }) => body).join());
  return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;
const FAILING = "export const handler = async () => { throw new Error('asked to fail'); };";

const fill = (stack: Stack) => {
  const fn = (id: string, source: string, props: Partial<FunctionProps> = {}) =>
    new LambdaFn(stack, id, {
      functionName: id.toLowerCase(),
      runtime: Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: Code.fromAsset(functionDirectory(source)),
      timeout: Duration.seconds(3),
      ...props,
    });
  const queue = (id: string, deadLetters?: Queue) =>
    new Queue(stack, id, {
      queueName: id.toLowerCase(),
      visibilityTimeout: Duration.seconds(60),
      ...(deadLetters !== undefined && { deadLetterQueue: { queue: deadLetters, maxReceiveCount: 2 } }),
    });
  const bus = new EventBus(stack, "Bus", { eventBusName: "shop" });
  const [inbox, undelivered, failures, dead] = ["Inbox", "Undelivered", "Failures", "Dead"].map((id) => queue(id));
  if (!inbox || !undelivered || !failures || !dead) throw new Error("queues are missing");
  const work = queue("Work", dead);

  const publisher = fn("Publisher", PUBLISHER, { environment: { BUS: bus.eventBusName, QUEUE_URL: work.queueUrl } });
  bus.grantPutEventsTo(publisher);
  work.grantSendMessages(publisher);
  const listener = fn("Listener", LISTENER, { environment: { QUEUE_URL: inbox.queueUrl } });
  inbox.grantSendMessages(listener);
  const worker = fn("Worker", WORKER);
  worker.addEventSource(new SqsEventSource(work, { reportBatchItemFailures: true }));
  const failing = fn("Failing", FAILING, {
    retryAttempts: 1,
    onFailure: new SqsDestination(failures),
    deadLetterQueue: dead,
  });
  const reporting = fn("Reporting", FAILING, {
    retryAttempts: 0,
    onFailure: new EventBridgeDestination(EventBus.fromEventBusArn(stack, "SameBus", bus.eventBusArn)),
  });

  const rule = (ruleName: string, detailType: string[], ...targets: (LambdaFunction | SqsQueue)[]) =>
    new Rule(stack, `Rule${ruleName}`, { ruleName, eventBus: bus, eventPattern: { detailType }, targets });
  rule("to-listener", ["Heard"], new LambdaFunction(listener));
  rule(
    "transformed",
    ["Heard"],
    new LambdaFunction(listener, { event: RuleTargetInput.fromObject({ id: EventField.fromPath("$.detail.id") }) }),
  );
  rule("to-inbox", ["Kept"], new SqsQueue(inbox, { message: RuleTargetInput.fromEventPath("$.detail") }));
  rule("to-work", ["Work"], new SqsQueue(work));
  rule("to-failing", ["Fail"], new LambdaFunction(failing));
  rule("to-reporting", ["Report"], new LambdaFunction(reporting));
  rule("reports", ["Lambda Function Invocation Result - Failure"], new SqsQueue(inbox));
  new Rule(stack, "Off", {
    eventBus: bus,
    enabled: false,
    eventPattern: { detailType: ["Kept"] },
    targets: [new SqsQueue(work)],
  });
  // The function lets neither of these rules in, and the dead-letter queue only one.
  const locked = (name: string, detailType: string, deadLetters: Queue) =>
    new CfnRule(stack, `Locked${name}`, {
      name,
      eventBusName: bus.eventBusName,
      eventPattern: { "detail-type": [detailType] },
      targets: [{ id: "T", arn: worker.functionArn, deadLetterConfig: { arn: deadLetters.queueArn } }],
    });
  locked("lost", "Lost", failures);
  undelivered.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal("events.amazonaws.com")],
      actions: ["sqs:SendMessage"],
      resources: [undelivered.queueArn],
      conditions: { ArnEquals: { "aws:SourceArn": locked("locked", "Locked", undelivered).attrArn } },
    }),
  );
  new Rule(stack, "Hourly", {
    ruleName: "hourly",
    schedule: Schedule.rate(Duration.hours(1)),
    enabled: false,
    targets: [new LambdaFunction(publisher)],
  });
};

let assemblyDirectory: string;
let cloud: TestCloud;
beforeAll(async () => {
  assemblyDirectory = synthesiseTestStack(fill);
  cloud = await startTestCloud({ assemblyDirectory });
});
afterAll(() => cloud.stop());

const invoke = async (payload: object, on = cloud): Promise<void> => {
  const arn = on.model.functions.find(({ name }) => name === "publisher")?.arn ?? "";
  expect(await on.functions.invoke(arn, JSON.stringify(payload))).toMatchObject({ ok: true });
};
type Shown = { body: string; receiveCount: number; attributes: Record<string, { StringValue: string }> };
type QueueAnswer = { depth: Record<string, number>; messages: Shown[] };
const get = async <T>(path: string, on = cloud): Promise<T> =>
  (await (await fetch(on.stack.controlUrl + path)).json()) as T;
const messages = async (queue: string, on = cloud) => (await get<QueueAnswer>(`/queues/${queue}`, on)).messages;
const bodies = async (queue: string, on = cloud) => (await messages(queue, on)).map(({ body }) => body);
/** Answers when nothing that was caused is under way any more. */
const settle = (seconds = 0, on = cloud) => on.control("/clock/advance", { ms: seconds * 1000 });
const workedOn = () => cloud.lines.filter((line) => line.includes("worked on"));

describe("events", () => {
  it("reach the functions and queues of the rules that match, and nobody else", async () => {
    const { now } = await get<{ now: number }>("/");
    await invoke({ put: "Heard", detail: { id: 7 } });
    await invoke({ put: "Kept", detail: { of: "note" } });
    await settle();
    expect((await bodies("inbox")).sort()).toEqual(["heard Heard", 'heard {"id":7}', '{"of":"note"}'].sort());
    const { events } = await get<{ events: object[] }>(`/events?since=${now}`);
    expect(events).toMatchObject([
      { bus: "shop", rules: ["to-listener", "transformed"], event: { "detail-type": "Heard", detail: { id: 7 } } },
      { bus: "shop", rules: ["to-inbox"], event: { "detail-type": "Kept", source: "shop" } },
    ]);
  });

  it("go straight to the target's dead-letter queue where the rule may not deliver", async () => {
    await invoke({ put: "Locked", detail: { secret: 1 } });
    await settle();
    const [letter] = await messages("undelivered");
    expect(JSON.parse(letter?.body ?? "")).toMatchObject({ "detail-type": "Locked", detail: { secret: 1 } });
    expect(letter?.attributes).toMatchObject({
      ERROR_CODE: { StringValue: "NO_PERMISSIONS" },
      RETRY_ATTEMPTS: { StringValue: "0" },
      RULE_ARN: { StringValue: expect.stringContaining("rule/shop/locked") },
      TARGET_ARN: { StringValue: expect.stringContaining("function:worker") },
    });
  });

  it("are lost loudly where that queue does not let the rule in either", async () => {
    await invoke({ put: "Lost" });
    await settle();
    expect(cloud.lines).toContainEqual(
      expect.stringMatching(/LOST an event: the rule lost may not invoke .*; may not send to .*:failures because/),
    );
  });
});

describe("a function that fails", () => {
  it("is tried again as it is configured; then its destination has the record and its queue the event", async () => {
    await invoke({ put: "Fail", detail: { n: 1 } });
    await settle();
    const [record] = (await bodies("failures")).map((body) => JSON.parse(body));
    expect(record).toMatchObject({
      requestContext: { condition: "RetriesExhausted", approximateInvokeCount: 2 },
      requestPayload: { "detail-type": "Fail", detail: { n: 1 } },
      responsePayload: { errorType: "Error", errorMessage: "asked to fail" },
    });
    const [event] = await messages("dead");
    expect(JSON.parse(event?.body ?? "")).toMatchObject({ "detail-type": "Fail" });
    expect(event?.attributes).toMatchObject({ ErrorMessage: { StringValue: "asked to fail" } });
  });

  it("may report to a bus, whose rules see it", async () => {
    await invoke({ put: "Report" });
    await settle();
    const reports = (await bodies("inbox")).filter((body) => body.includes("Invocation Result"));
    expect(reports.map((body) => JSON.parse(body))).toMatchObject([
      { source: "lambda", "detail-type": "Lambda Function Invocation Result - Failure", detail: { version: "1.0" } },
    ]);
  });
});

describe("a queue that feeds a function", () => {
  it("hands over batches, keeps what failed, and gives it up to the dead-letter queue by the clock", async () => {
    await invoke({ send: ["good", "bad 1", "fine"] });
    await settle();
    expect(workedOn().join()).toMatch(/good/);
    expect(await messages("work")).toMatchObject([{ body: "bad 1", receiveCount: 1 }]);
    await settle(30);
    expect(await messages("work")).toMatchObject([{ body: "bad 1", receiveCount: 1 }]);
    await settle(31);
    expect(await messages("work")).toMatchObject([{ body: "bad 1", receiveCount: 2 }]);
    await settle(60);
    expect(await bodies("work")).toEqual([]);
    expect(await bodies("dead")).toContain("bad 1");
  });

  it("keeps the whole batch of a function that throws; one advance goes through all its retries", async () => {
    await invoke({ send: ["throw"] });
    await settle(180);
    expect(await bodies("work")).toEqual([]);
    expect(await bodies("dead")).toContain("throw");
  });

  it("gets its dead letters back when asked, and the answer comes when they were worked on", async () => {
    const { status, body } = await cloud.control("/queues/dead/redrive");
    expect({ status, body }).toEqual({ status: 200, body: { name: "dead", moved: 2 } });
    expect(await messages("work")).toMatchObject([{ receiveCount: 1 }, { receiveCount: 1 }]);
    // What Lambda put there itself came from no queue.
    expect((await bodies("dead")).map((text) => JSON.parse(text)["detail-type"])).toEqual(["Fail"]);
    await settle(180);
  });
});

describe("control", () => {
  it("lists buses with their rules, and queues with their depth", async () => {
    const { buses, queues } = await get<{ buses: { name: string; rules: object[] }[]; queues: object[] }>("/");
    expect(buses.map(({ name }) => name)).toEqual(["default", "shop"]);
    expect(buses[1]?.rules).toContainEqual({
      name: "to-inbox",
      enabled: true,
      targets: [expect.stringMatching(/:inbox$/)],
    });
    expect(queues).toContainEqual({ name: "work", depth: { visible: 0, inFlight: 0, delayed: 0 } });
  });

  it("answers a fired schedule when the event, the queue and the worker that it caused are done", async () => {
    const before = workedOn().length;
    expect((await cloud.control("/schedules/hourly")).status).toBe(200);
    expect(workedOn()).toHaveLength(before + 1);
    expect(await bodies("work")).toEqual([]);
  });

  it.each([
    ["GET", "/queues/none", 404, "inbox"],
    ["GET", "/events?since=yesterday", 400, "since"],
    ["POST", "/queues/none/redrive", 404, "inbox"],
    ["POST", "/queues/inbox/redrive", 409, "inbox"],
  ])("%s %s is %i", async (method, path, status, message) => {
    const response = await fetch(cloud.stack.controlUrl + path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ message: expect.stringContaining(message) });
  });
});

describe("a restart", () => {
  it("finds the queues as they were, and works on what was left", async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), "messaging-"));
    const first = await startTestCloud({ assemblyDirectory, dataDirectory });
    await invoke({ put: "Kept", detail: { n: 1 } }, first);
    await invoke({ send: ["bad"] }, first);
    await settle(0, first);
    await first.stop();
    const second = await startTestCloud({ assemblyDirectory, dataDirectory });
    expect(await bodies("inbox", second)).toEqual(['{"n":1}']);
    await settle(180, second);
    expect(await bodies("dead", second)).toEqual(["bad"]);
    await second.stop();
  });
});

describe("a mapping whose function may not receive", () => {
  it("stops the start and is named", async () => {
    const directory = synthesiseTestStack((stack) => {
      const worker = new LambdaFn(stack, "Worker", {
        runtime: Runtime.NODEJS_24_X,
        handler: "index.handler",
        code: Code.fromAsset(functionDirectory(FAILING)),
      });
      worker.addEventSourceMapping("Mapping", { eventSourceArn: new Queue(stack, "Queue").queueArn });
    });
    await expect(startTestCloud({ assemblyDirectory: directory })).rejects.toThrow(
      /^WorkerMapping\w*: its function's role may not sqs:ReceiveMessage/,
    );
  });
});
