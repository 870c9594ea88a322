/** What the functions' client of SQS does when messages fail. infra/local/gateway/queue-service has the rest. */
import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createQueue, createSqs } from "../../../shared/runtime/queue.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { type Attempt, attempts, startScriptedStore } from "../../support/scripted-store.ts";

quietLog();

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const against = async (...script: Attempt[]) => {
  const service = await startScriptedStore(script);
  stops.push(service.stop);
  const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
  const client = createSqs({ region: "eu-central-1", endpoint: service.endpoint, credentials });
  return { service, queue: createQueue(() => client, "https://sqs.example.com/1/queue") };
};

const message = (number: number) => ({ body: { number } });
const sent = (number: number, Id = String(number)) => ({
  Id,
  MessageId: `id-${number}`,
  MD5OfMessageBody: createHash("md5").update(JSON.stringify({ number })).digest("hex"),
});
const entry = (Id: string, number: number) => ({ Id, MessageBody: JSON.stringify({ number }), DelaySeconds: 0 });
const QueueUrl = "https://sqs.example.com/1/queue";

describe("send", () => {
  it("repeats only the failed messages of a batch", async () => {
    const { service, queue } = await against(
      attempts.succeed({
        Successful: [sent(0), sent(2)],
        Failed: [{ Id: "1", Code: "InternalError", SenderFault: false }],
      }),
      attempts.succeed({ Successful: [sent(1, "0")] }),
    );
    await expect(queue.send([0, 1, 2].map(message))).resolves.toEqual([]);
    expect(service.requests.map(({ body }) => body)).toEqual([
      { QueueUrl, Entries: [entry("0", 0), entry("1", 1), entry("2", 2)] },
      { QueueUrl, Entries: [entry("0", 1)] },
    ]);
  });

  it("returns the messages that the queue does not accept, with the reason", async () => {
    const { queue } = await against(attempts.refuse("AccessDeniedException"));
    const large = { body: { text: "x".repeat(1_048_576) } };
    await expect(queue.send([message(0), large])).resolves.toEqual([
      { message: large, reason: "TooLarge" },
      { message: message(0), reason: "AccessDeniedException" },
    ]);
  });

  it("limits delays to 0 to 900 whole seconds", async () => {
    const { service, queue } = await against(attempts.refuse("AccessDeniedException"));
    await queue.send([-1, 0.2, 900, 40_000].map((delaySeconds) => ({ body: {}, delaySeconds })));
    const delays = [0, 1, 900, 900].map((DelaySeconds, i) => ({ Id: String(i), MessageBody: "{}", DelaySeconds }));
    expect(service.requests[0]?.body).toEqual({ QueueUrl, Entries: delays });
  });
});

describe("postpone", () => {
  it.each([
    [1.5, 2],
    [-3, 0],
    [86_400, 39_600],
  ])("hides a message for %s s as %s s", async (seconds, VisibilityTimeout) => {
    const { service, queue } = await against(attempts.succeed());
    await queue.postpone("receipt", seconds);
    expect(service.requests.map(({ body }) => body)).toEqual([
      { QueueUrl, ReceiptHandle: "receipt", VisibilityTimeout },
    ]);
  });

  it("does not throw if SQS refuses", async () => {
    const { queue } = await against(attempts.refuse("MessageNotInflight"));
    await expect(queue.postpone("receipt", 60)).resolves.toBe(undefined);
  });
});
