/** SQS of the local cloud: with the SDK's client, and with the functions' own. */
import {
  ChangeMessageVisibilityCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createSqsService } from "../../../../infra/local/gateway/sqs-service.ts";
import { openQueues, type Queue, type Queues } from "../../../../infra/local/queues/queues.ts";
import { createQueue, createSqs } from "../../../../shared/runtime/queue.ts";
import { stackModel } from "../../../support/stack-model.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { startTestGateway, type TestGateway } from "../../../support/test-gateway.ts";

const arn = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;
const url = (name: string) => `https://sqs.eu-central-1.amazonaws.com/000000000000/${name}`;
const allow = (action: string, name: string) => ({
  Effect: "Allow" as const,
  Action: `sqs:${action}`,
  Resource: arn(name),
});
const model = stackModel({
  roles: {
    sender: [allow("SendMessage", "work")],
    worker: [allow("ChangeMessageVisibility", "work")],
    everything: [allow("*", "*")],
  },
});
for (const name of ["work", "other"])
  model.queues.push({ logicalId: name, name, arn: arn(name), visibilityTimeoutSeconds: 60, retentionSeconds: 86_400 });

let dataDirectory: string;
let now: number;
let queues: Queues;
let gateway: TestGateway;

const start = async () => {
  queues = openQueues({ queues: model.queues, dataDirectory, clock: { now: () => now } });
  gateway = await startTestGateway(model, { services: { sqs: createSqsService({ model, queues }) } });
};
const stop = async () => {
  await gateway.close();
  queues.close();
};
beforeEach(async () => {
  dataDirectory = newDirectory("sqs-");
  now = 1_800_000_000_000;
  await start();
});
afterEach(stop);

const as = (role: string): SQSClient => gateway.clientOf(role, createSqs);
const queue = (name = "work"): Queue => {
  const found = queues.find(arn(name));
  if (found === undefined) throw new Error(`no queue ${name}`);
  return found;
};
const bodies = () =>
  queue()
    .receive({ max: 10 })
    .map(({ body }) => body);

describe("SQS of the local cloud", () => {
  it("takes messages of functions, and hides them for their delay, also after a restart", async () => {
    const work = createQueue(() => as("sender"), url("work"));
    const delays = [0, 60, 900];
    await expect(work.send(delays.map((delaySeconds) => ({ body: { delaySeconds }, delaySeconds })))).resolves.toEqual(
      [],
    );
    expect(bodies()).toEqual(['{"delaySeconds":0}']);
    expect(queue().nextVisibleAt()).toBe(now + 60_000);
    await stop();
    await start();
    now += 59_999;
    expect(bodies()).toEqual([]);
    now += 1;
    expect(bodies()).toEqual(['{"delaySeconds":0}', '{"delaySeconds":60}']);
  });

  it("sends a single message, and one of each batch entry", async () => {
    const single = await as("sender").send(new SendMessageCommand({ QueueUrl: url("work"), MessageBody: "é" }));
    expect(single.MessageId).toEqual(expect.any(String));
    const Entries = ["a", "b"].map((Id) => ({ Id, MessageBody: Id }));
    const batch = await as("sender").send(new SendMessageBatchCommand({ QueueUrl: url("work"), Entries }));
    expect(batch.Successful?.map(({ Id }) => Id)).toEqual(["a", "b"]);
    expect(bodies()).toEqual(["é", "a", "b"]);
  });

  it("delivers messages of groups in turn", async () => {
    const work = createQueue(() => as("sender"), url("work"));
    const send = (group: string, i: number) => work.send([{ body: { group, i }, group }]);
    for (let i = 0; i < 3; i++) expect(await send("größte Gruppe", i)).toEqual([]);
    queue().receive({ max: 1 });
    expect(await send("b", 0)).toEqual([]);
    expect(bodies().map((body) => JSON.parse(body))).toMatchObject([{ group: "b" }, { i: 1 }, { i: 2 }]);
  });

  it("postpones a received message, also over a restart, and refuses other receipts", async () => {
    queue().send({ body: "one", sender: "test" });
    const [first] = queue().receive({ max: 1 });
    const work = createQueue(() => as("worker"), url("work"));
    await work.postpone(first?.receipt ?? "", 3_600);
    expect(queue().nextVisibleAt()).toBe(now + 3_600_000);
    await stop();
    await start();
    now += 3_599_999;
    expect(bodies()).toEqual([]);
    now += 1;
    const change = (ReceiptHandle = "") =>
      as("worker").send(
        new ChangeMessageVisibilityCommand({ QueueUrl: url("work"), ReceiptHandle, VisibilityTimeout: 10 }),
      );
    await expect(change(first?.receipt)).rejects.toMatchObject({ name: "MessageNotInflight" });
    await expect(change("unknown")).rejects.toMatchObject({ name: "ReceiptHandleIsInvalid" });
    expect(bodies()).toEqual(["one"]);
  });

  it("reports each change to the mapping that waits for the next message", async () => {
    let arrivals = 0;
    queue().onArrival(() => arrivals++);
    await createQueue(() => as("sender"), url("work")).send([{ body: {}, delaySeconds: 5 }]);
    now += 5_000;
    const [message] = queue().receive({ max: 1 });
    await createQueue(() => as("worker"), url("work")).postpone(message?.receipt ?? "", 0);
    expect(arrivals).toBe(2);
  });

  it.each<[string, string, (client: SQSClient) => Promise<unknown>]>([
    [
      "sender",
      "work",
      (client) =>
        client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl: url("work"), ReceiptHandle: "r", VisibilityTimeout: 1 }),
        ),
    ],
    ["sender", "other", (client) => client.send(new SendMessageCommand({ QueueUrl: url("other"), MessageBody: "x" }))],
    [
      "worker",
      "work",
      (client) =>
        client.send(new SendMessageBatchCommand({ QueueUrl: url("work"), Entries: [{ Id: "a", MessageBody: "x" }] })),
    ],
  ])("denies what the role of %s does not allow on %s", async (role, name, call) => {
    await expect(call(as(role))).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(gateway.denials).toMatchObject([{ logicalId: role, resource: arn(name) }]);
    expect(queue(name).depth()).toEqual({ visible: 0, inFlight: 0 });
  });

  it("refuses what SQS refuses, and other operations", async () => {
    const send = (input: object) =>
      as("everything").send(new SendMessageCommand({ QueueUrl: url("work"), MessageBody: "x", ...input }));
    await expect(send({ DelaySeconds: 901 })).rejects.toMatchObject({ name: "InvalidParameterValue" });
    await expect(send({ QueueUrl: url("missing") })).rejects.toMatchObject({ name: "QueueDoesNotExist" });
    await expect(send({ MessageGroupId: "g".repeat(129) })).rejects.toMatchObject({ name: "InvalidParameterValue" });
    const purge = as("everything").send(new PurgeQueueCommand({ QueueUrl: url("work") }));
    await expect(purge).rejects.toMatchObject({ name: "AccessDeniedException" });
  });
});
