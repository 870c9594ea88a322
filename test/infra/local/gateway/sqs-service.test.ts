import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { PolicyStatement, QueueModel } from "../../../../infra/local/core/model.ts";
import { startMessagingGateway } from "../../../support/messaging-gateway.ts";
import { stackModel } from "../../../support/stack-model.ts";

const arn = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;
const queue = (name: string, rest: Partial<QueueModel> = {}): QueueModel => ({
  logicalId: name,
  name,
  arn: arn(name),
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 3600,
  delaySeconds: 0,
  receiveWaitSeconds: 0,
  maximumMessageBytes: 2048,
  ...rest,
});
const allow = (Action: string | string[], Resource: string): PolicyStatement => ({ Effect: "Allow", Action, Resource });
const model = stackModel({
  roles: {
    owner: [allow("sqs:*", "*")],
    sender: [allow("sqs:SendMessage", arn("work"))],
    reader: [allow(["sqs:ReceiveMessage", "sqs:DeleteMessage"], arn("work"))],
    guest: [],
  },
  resourcePolicies: {
    [arn("open")]: [
      { ...allow("sqs:SendMessage", arn("open")), Principal: { AWS: "arn:aws:iam::000000000000:role/guest-role" } },
    ],
  },
});
model.queues.push(
  queue("work", { redrive: { deadLetterArn: arn("open"), maxReceiveCount: 3 } }),
  queue("open"),
  queue("large", { maximumMessageBytes: 1_048_576 }),
);

let gateway: Awaited<ReturnType<typeof startMessagingGateway>>;
beforeAll(async () => {
  gateway = await startMessagingGateway(model);
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.denials.splice(0);
  for (const { purge } of gateway.queues.list()) purge();
});

const call = (role: string, operation: string, body: object = {}, name = "work") =>
  gateway.call(role, "sqs", `AmazonSQS.${operation}`, { QueueUrl: `${gateway.url}/000000000000/${name}`, ...body });
const ok = async (operation: string, body: object = {}, name = "work"): Promise<Record<string, unknown>> => {
  const answer = await call("owner", operation, body, name);
  expect(answer).toMatchObject({ status: 200 });
  return Object(answer.body);
};
const refusal = (type: string) => ({ status: 400, body: { __type: expect.stringMatching(new RegExp(`#${type}$`)) } });
type Received = {
  Messages?: { ReceiptHandle: string; Body: string; Attributes?: object; MessageAttributes?: object }[];
};
const receive = async (body: object = {}, name = "work"): Promise<NonNullable<Received["Messages"]>> =>
  ((await ok("ReceiveMessage", { MaxNumberOfMessages: 10, ...body }, name)) as Received).Messages ?? [];

describe("a queue over the wire", () => {
  it("is sent to, received from and deleted from", async () => {
    const sent = await ok("SendMessage", { MessageBody: "héllo" });
    const md5 = createHash("md5").update("héllo").digest("hex");
    expect(sent).toEqual({ MessageId: expect.any(String), MD5OfMessageBody: md5 });
    const [message] = await receive();
    expect(message).toEqual({
      MessageId: sent.MessageId,
      ReceiptHandle: expect.any(String),
      Body: "héllo",
      MD5OfBody: md5,
    });
    expect(await ok("GetQueueAttributes", { AttributeNames: ["All"] })).toMatchObject({
      Attributes: {
        ApproximateNumberOfMessages: "0",
        ApproximateNumberOfMessagesNotVisible: "1",
        QueueArn: arn("work"),
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn("open"), maxReceiveCount: 3 }),
      },
    });
    await ok("DeleteMessage", { ReceiptHandle: message?.ReceiptHandle });
    expect(await ok("GetQueueAttributes", { AttributeNames: ["ApproximateNumberOfMessagesNotVisible"] })).toEqual({
      Attributes: { ApproximateNumberOfMessagesNotVisible: "0" },
    });
  });

  it("gives the attributes that are asked for", async () => {
    const MessageAttributes = {
      "a.b": { DataType: "String", StringValue: "x" },
      c: { DataType: "Binary", BinaryValue: "AA==" },
    };
    await ok("SendMessage", { MessageBody: "m", MessageAttributes });
    const [bare] = await receive({ VisibilityTimeout: 0 });
    expect(bare).not.toHaveProperty("Attributes");
    expect(bare).not.toHaveProperty("MessageAttributes");
    const [some] = await receive({
      VisibilityTimeout: 0,
      MessageAttributeNames: ["a.*"],
      AttributeNames: ["SenderId"],
    });
    expect(some).toMatchObject({ Attributes: { SenderId: expect.stringContaining("/owner-role/owner") } });
    expect(some?.MessageAttributes).toEqual({ "a.b": MessageAttributes["a.b"] });
    const [all] = await receive({ MessageAttributeNames: ["All"], MessageSystemAttributeNames: ["All"] });
    expect(all?.MessageAttributes).toEqual(MessageAttributes);
    expect(all?.Attributes).toMatchObject({
      ApproximateReceiveCount: "3",
      SentTimestamp: expect.stringMatching(/^\d+$/),
    });
  });

  it("waits for a message as long as it is asked to", async () => {
    const waiting = receive({ WaitTimeSeconds: 20 });
    await ok("SendMessage", { MessageBody: "late" });
    expect(await waiting).toMatchObject([{ Body: "late" }]);
    expect(await receive({ WaitTimeSeconds: 1 })).toEqual([]);
  });

  it("takes batches, each entry by itself", async () => {
    const Entries = [
      { Id: "1", MessageBody: "a" },
      { Id: "2", MessageBody: "x".repeat(2049) },
      { Id: "3", MessageBody: "" },
      { Id: "4", MessageBody: "b", DelaySeconds: 900 },
    ];
    expect(await ok("SendMessageBatch", { Entries })).toMatchObject({
      Successful: [{ Id: "1" }, { Id: "4" }],
      Failed: [
        { Id: "2", Code: "InvalidParameterValue", SenderFault: true },
        { Id: "3", Code: "MissingParameter" },
      ],
    });
    const [message] = await receive();
    const one = { Id: "1", ReceiptHandle: message?.ReceiptHandle };
    const stranger = { Id: "2", ReceiptHandle: "none", VisibilityTimeout: 0 };
    expect(
      await ok("ChangeMessageVisibilityBatch", { Entries: [{ ...one, VisibilityTimeout: 0 }, stranger] }),
    ).toMatchObject({ Successful: [{ Id: "1" }], Failed: [{ Id: "2", Code: "ReceiptHandleIsInvalid" }] });
    expect(await receive({ VisibilityTimeout: 0 })).toHaveLength(1);
    const [again] = await receive();
    await ok("DeleteMessageBatch", { Entries: [{ Id: "1", ReceiptHandle: again?.ReceiptHandle }] });
    await ok("PurgeQueue");
    expect(gateway.queues.find(arn("work"))?.depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it("tells its URL by its name", async () => {
    const url = `${gateway.url}/000000000000/work`;
    expect(await ok("GetQueueUrl", { QueueName: "work" })).toEqual({ QueueUrl: url });
  });

  const entries = (count: number, rest: object = {}) =>
    Array.from({ length: count }, (_, index) => ({ Id: String(index), MessageBody: "m", ...rest }));
  it.each([
    ["SendMessage", { MessageBody: "" }, "MissingParameter"],
    ["SendMessage", { MessageBody: "\u0001" }, "InvalidMessageContents"],
    ["SendMessage", { MessageBody: "m", DelaySeconds: 901 }, "InvalidParameterValue"],
    ["ReceiveMessage", { MaxNumberOfMessages: 11 }, "InvalidParameterValue"],
    ["ChangeMessageVisibility", { ReceiptHandle: "none", VisibilityTimeout: 1 }, "ReceiptHandleIsInvalid"],
    ["SendMessageBatch", { Entries: [] }, "EmptyBatchRequest"],
    ["SendMessageBatch", { Entries: entries(11) }, "TooManyEntriesInBatchRequest"],
    ["SendMessageBatch", { Entries: [...entries(1), ...entries(1)] }, "BatchEntryIdsNotDistinct"],
    ["SendMessageBatch", { Entries: entries(3, { MessageBody: "x".repeat(400_000) }) }, "BatchRequestTooLong"],
    ["GetQueueUrl", { QueueName: "none" }, "QueueDoesNotExist"],
    ["SendMessage", { MessageBody: "m", QueueUrl: "http://x/1/none" }, "QueueDoesNotExist"],
    ["CreateQueue", { QueueName: "none" }, "AccessDeniedException"],
  ])("refuses %s, case %#", async (operation, body, type) => {
    expect(await call("owner", operation, body, "large")).toMatchObject(refusal(type));
  });

  it("takes no message over its own limit", async () => {
    const { status } = await call("owner", "SendMessage", { MessageBody: "x".repeat(2048) });
    expect(status).toBe(200);
    expect(await call("owner", "SendMessage", { MessageBody: "x".repeat(2049) })).toMatchObject(
      refusal("InvalidParameterValue"),
    );
  });
});

describe("rights on queues", () => {
  it.each([
    ["sender", "SendMessage", "work", true],
    ["sender", "SendMessageBatch", "work", true],
    ["sender", "ReceiveMessage", "work", false],
    ["sender", "SendMessage", "open", false],
    ["reader", "ReceiveMessage", "work", true],
    ["reader", "SendMessage", "work", false],
    ["reader", "GetQueueAttributes", "work", false],
    ["reader", "PurgeQueue", "work", false],
    ["guest", "SendMessage", "open", true],
    ["guest", "SendMessage", "work", false],
    ["guest", "SendMessage", "unknown", false],
  ])("%s: %s on %s is allowed: %s", async (role, operation, name, isAllowed) => {
    const body = { MessageBody: "m", Entries: [{ Id: "1", MessageBody: "m" }] };
    const { status } = await call(role, operation, body, name);
    expect(status).toBe(isAllowed ? 200 : 400);
    const action = `sqs:${operation.replace("Batch", "")}`;
    expect(gateway.denials).toMatchObject(isAllowed ? [] : [{ logicalId: role, action, resource: arn(name) }]);
  });
});
