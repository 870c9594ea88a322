import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Duration, type Stack } from "aws-cdk-lib";
import { CfnRule, EventBus, EventField, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction, SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Code, type FunctionProps, Function as LambdaFn, Runtime } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { Observation } from "../../../../infra/local/core/observation.ts";
import { functionDirectory } from "../../../support/function-directory.ts";
import { startTestCloud, synthesiseTestStack, type TestCloud } from "../../../support/local-cloud.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

/** Helpers of the functions below: calls of AWS, and a pause that keeps work in progress. */
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
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;
const PUBLISHER = `${CALLER}
export const handler = async (event) => {
  if (event.delay) return call({ service: "sqs", target: "AmazonSQS.SendMessage", body: {
    QueueUrl: process.env.QUEUE, MessageBody: JSON.stringify({ text: "postponed" }), DelaySeconds: event.delay,
  } });
  if (event.put) return put(event.put, event.detail ?? {});
  if (event.send) return Promise.all(event.send.map((text) => put("Work", { text })));
  if (event.source === "aws.events") await put("Work", { text: "scheduled" });
};`;
const LISTENER = `${CALLER}
export const handler = async (event) => {
  await pause(150);
  await put("Noted", { text: "heard " + (event["detail-type"] ?? JSON.stringify(event)) });
};`;
const WORKER = `${CALLER}
export const handler = async ({ Records }) => {
  const early = Records.find(({ body, attributes }) =>
    JSON.parse(body).text === "postponed" && attributes.ApproximateReceiveCount === "1");
  if (early) {
    await call({ service: "sqs", target: "AmazonSQS.ChangeMessageVisibility", body: {
      QueueUrl: process.env.QUEUE, ReceiptHandle: early.receiptHandle, VisibilityTimeout: 600,
    } });
    return { batchItemFailures: [{ itemIdentifier: early.messageId }] };
  }
  await pause(100);
  const texts = Records.map(({ body }) => JSON.parse(body).text);
  const bad = Records.filter((_, index) => texts[index].startsWith("bad"));
  if (texts.some((text) => text.startsWith("throw"))) throw new Error("asked to fail");
  console.log("worked on " + texts.join());
  return { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;
const FAILING = "export const handler = async () => { throw new Error('asked to fail'); };";

/** A target that sends messages `{"text":…}` to the queue. */
const textsTo = (queue: Queue) =>
  new SqsQueue(queue, { message: RuleTargetInput.fromObject({ text: EventField.fromPath("$.detail.text") }) });

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
  const [inbox, dead] = [queue("Inbox"), queue("Dead")];
  const work = queue("Work", dead);

  const environment = { BUS: bus.eventBusName, QUEUE: work.queueUrl };
  const publisher = fn("Publisher", PUBLISHER, { environment });
  const listener = fn("Listener", LISTENER, { environment });
  for (const publishing of [publisher, listener]) bus.grantPutEventsTo(publishing);
  const worker = fn("Worker", WORKER, { environment });
  work.grantSendMessages(publisher);
  work.grant(worker, "sqs:ChangeMessageVisibility");
  worker.addEventSource(new SqsEventSource(work, { reportBatchItemFailures: true, maxConcurrency: 2 }));
  const failing = fn("Failing", FAILING);
  const narrow = fn("Narrow", LISTENER, { environment, reservedConcurrentExecutions: 1 });
  bus.grantPutEventsTo(narrow);

  const rule = (ruleName: string, detailType: string[], ...targets: (LambdaFunction | SqsQueue)[]) =>
    new Rule(stack, `Rule${ruleName}`, { ruleName, eventBus: bus, eventPattern: { detailType }, targets });
  rule("to-listener", ["Heard"], new LambdaFunction(listener));
  rule(
    "transformed",
    ["Heard"],
    new LambdaFunction(listener, { event: RuleTargetInput.fromObject({ id: EventField.fromPath("$.detail.id") }) }),
  );
  rule("to-inbox", ["Kept", "Noted"], textsTo(inbox));
  rule("to-work", ["Work"], textsTo(work));
  rule("to-failing", ["Fail"], new LambdaFunction(failing));
  rule("to-narrow", ["Narrow"], new LambdaFunction(narrow));
  new Rule(stack, "Off", {
    eventBus: bus,
    enabled: false,
    eventPattern: { detailType: ["Kept"] },
    targets: [textsTo(work)],
  });
  // The function does not allow this rule to invoke it.
  new CfnRule(stack, "Locked", {
    name: "locked",
    eventBusName: bus.eventBusName,
    eventPattern: { "detail-type": ["Locked"] },
    targets: [{ id: "T", arn: worker.functionArn }],
  });
  new Rule(stack, "Hourly", {
    ruleName: "hourly",
    schedule: Schedule.rate(Duration.hours(1)),
    enabled: false,
    targets: [new LambdaFunction(publisher)],
  });
};

let assemblyDirectory: string;
let cloud: TestCloud;
const observed: Observation[] = [];
beforeAll(async () => {
  assemblyDirectory = synthesiseTestStack(fill);
  cloud = await startTestCloud({ assemblyDirectory, observe: (one) => observed.push(one) });
});
afterAll(() => cloud.stop());

const invoke = async (payload: object, on = cloud): Promise<void> => {
  const arn = on.model.functions.find(({ name }) => name === "publisher")?.arn ?? "";
  expect(await on.functions.invoke(arn, JSON.stringify(payload))).toMatchObject({ ok: true });
};
type Shown = { body: string; receiveCount: number };
type QueueAnswer = { depth: Record<string, number>; messages: Shown[] };
const get = async <T>(path: string, on = cloud): Promise<T> =>
  (await (await fetch(on.stack.controlUrl + path)).json()) as T;
const messages = async (queue: string, on = cloud) => (await get<QueueAnswer>(`/queues/${queue}`, on)).messages;
const texts = async (queue: string, on = cloud) =>
  (await messages(queue, on)).map(({ body }) => (JSON.parse(body) as { text: string }).text);
const text = (value: string) => JSON.stringify({ text: value });
/** Resolves when all caused work has ended. */
const settle = (seconds = 0, on = cloud) => on.control("/clock/advance", { ms: seconds * 1000 });
const workedOn = () => cloud.lines.filter((line) => line.includes("worked on"));

describe("events", () => {
  it("reach only the functions and queues of the rules that match", async () => {
    const { now } = await get<{ now: number }>("/");
    await invoke({ put: "Heard", detail: { id: 7 } });
    await invoke({ put: "Kept", detail: { text: "note" } });
    await settle();
    expect((await texts("inbox")).sort()).toEqual(["heard Heard", 'heard {"id":7}', "note"].sort());
    const { events } = await get<{ events: { event: { "detail-type": string } }[] }>(`/events?since=${now}`);
    expect(events.filter(({ event }) => event["detail-type"] !== "Noted")).toMatchObject([
      { bus: "shop", rules: ["to-listener", "transformed"], event: { "detail-type": "Heard", detail: { id: 7 } } },
      { bus: "shop", rules: ["to-inbox"], event: { "detail-type": "Kept", source: "shop" } },
    ]);
    expect(observed).toContainEqual({ kind: "event", bus: "shop", detailType: "Kept", rules: ["to-inbox"] });
  });

  it("are logged as lost if the rule may not deliver them", async () => {
    await invoke({ put: "Locked" });
    await settle();
    expect(cloud.lines).toContainEqual(
      expect.stringMatching(/LOST an event: the rule locked may not invoke .*:worker because/),
    );
  });
});

describe("a function that fails", () => {
  it("is invoked three times; then its event is logged as lost", async () => {
    await invoke({ put: "Fail" });
    await settle();
    expect(cloud.lines.filter((line) => line.includes("Invoke Error Error: asked to fail"))).toHaveLength(3);
    expect(cloud.lines).toContainEqual(
      expect.stringMatching(/LOST an event: gave up an event for .*:failing at try 3: Error: asked to fail/),
    );
  });
});

describe("a function with a reserved concurrency of 1", () => {
  it("works on its events one after another, and loses none that Lambda throttles", async () => {
    const before = (await texts("inbox")).length;
    await Promise.all(Array.from({ length: 5 }, () => invoke({ put: "Narrow" })));
    await settle();
    expect((await texts("inbox")).slice(before)).toEqual(Array(5).fill("heard Narrow"));
    const { functions } = await get<{ functions: { name: string; instances: number }[] }>("/");
    expect(functions).toContainEqual(expect.objectContaining({ name: "narrow", instances: 1 }));
  });
});

describe("a queue that feeds a function", () => {
  it("invokes the function with batches, keeps failed messages, and later moves them to the dead-letter queue", async () => {
    await invoke({ send: ["good", "bad 1", "fine"] });
    await settle();
    expect(workedOn().join()).toMatch(/good/);
    expect(observed).toContainEqual(expect.objectContaining({ kind: "batch", queue: "work", failed: 1 }));
    expect(await messages("work")).toMatchObject([{ body: text("bad 1"), receiveCount: 1 }]);
    await settle(30);
    expect(await messages("work")).toMatchObject([{ body: text("bad 1"), receiveCount: 1 }]);
    await settle(31);
    expect(await messages("work")).toMatchObject([{ body: text("bad 1"), receiveCount: 2 }]);
    await settle(60);
    expect(await texts("work")).toEqual([]);
    expect(await texts("dead")).toContain("bad 1");
  });

  it("keeps the whole batch if the function throws; one advance of the clock runs all its retries", async () => {
    await invoke({ send: ["throw"] });
    await settle(180);
    expect(await texts("work")).toEqual([]);
    expect(await texts("dead")).toContain("throw");
  });

  it("delivers what functions delayed and postponed while the clock moves", async () => {
    await invoke({ delay: 300 });
    await settle(299);
    expect(await messages("work")).toMatchObject([{ body: text("postponed"), receiveCount: 0 }]);
    await settle(2);
    expect(await messages("work")).toMatchObject([{ body: text("postponed"), receiveCount: 1 }]);
    await settle(590);
    expect(await messages("work")).toMatchObject([{ body: text("postponed"), receiveCount: 1 }]);
    await settle(20);
    expect(await messages("work")).toEqual([]);
    expect(workedOn()).toContainEqual(expect.stringContaining("postponed"));
  });

  it("receives its dead letters again on request; the answer comes after they were processed", async () => {
    const { status, body } = await cloud.control("/queues/dead/redrive");
    expect({ status, body }).toEqual({ status: 200, body: { name: "dead", moved: 2 } });
    expect(await messages("work")).toMatchObject([{ receiveCount: 1 }, { receiveCount: 1 }]);
    expect(await texts("dead")).toEqual([]);
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
    expect(queues).toContainEqual({ name: "work", depth: { visible: 0, inFlight: 0 } });
  });

  it("answers a fired schedule when the event, the queue and the worker that it caused are done", async () => {
    const before = workedOn().length;
    expect((await cloud.control("/schedules/hourly")).status).toBe(200);
    expect(workedOn()).toHaveLength(before + 1);
    expect(await texts("work")).toEqual([]);
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
  it("keeps the queues, and processes the remaining messages", async () => {
    const dataDirectory = newDirectory("messaging-");
    const first = await startTestCloud({ assemblyDirectory, dataDirectory });
    await invoke({ put: "Kept", detail: { text: "kept" } }, first);
    await invoke({ send: ["bad"] }, first);
    await settle(0, first);
    await first.stop();
    const second = await startTestCloud({ assemblyDirectory, dataDirectory });
    expect(await texts("inbox", second)).toEqual(["kept"]);
    await settle(180, second);
    expect(await texts("dead", second)).toEqual(["bad"]);
    await second.stop();
  });
});

describe("a mapping whose function may not receive", () => {
  it("makes the start fail with an error that names it", async () => {
    const directory = synthesiseTestStack((stack) => {
      const worker = new LambdaFn(stack, "Worker", {
        runtime: Runtime.NODEJS_24_X,
        handler: "index.handler",
        code: Code.fromAsset(functionDirectory(FAILING)),
      });
      worker.addEventSourceMapping("Mapping", {
        eventSourceArn: new Queue(stack, "Queue").queueArn,
        reportBatchItemFailures: true,
      });
    });
    await expect(startTestCloud({ assemblyDirectory: directory })).rejects.toThrow(
      /^WorkerMapping\w*: its function's role may not sqs:ReceiveMessage/,
    );
  });
});
