/**
 * Sends messages to a queue and postpones received ones. The client is created at the first call, but imported
 * statically, for the reasons in event-bridge.ts.
 */
import { createHash } from "node:crypto";
import { Agent } from "node:https";
import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type AwsPlace, boundedRequests, fixedSettings, readAwsPlace } from "./aws-client.ts";
import { callStore } from "./call-store.ts";
import { writeLog } from "./log.ts";
import { sendBatches } from "./send-batches.ts";

const REQUEST_TIMEOUT_MS = 1_000;

/** SendMessageBatch takes 1 MiB. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_BYTES = 1_048_576;

const MAX_DELAY_SECONDS = 900;

/**
 * SQS hides a message for 12 hours at most, counted from its receipt. One hour is left for the work before the change.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
 */
const MAX_POSTPONE_SECONDS = 11 * 3_600;

/** A client of one endpoint. */
export const createSqs = (place: AwsPlace): SQSClient =>
  new SQSClient({
    ...place,
    ...fixedSettings,
    // The place is the endpoint: the host of a queue's URL may be another one.
    useQueueUrlAsEndpoint: false,
    maxAttempts: 3,
    requestHandler: boundedRequests(new Agent({ keepAlive: true, maxSockets: 20 }), REQUEST_TIMEOUT_MS),
  });

let made: SQSClient | undefined;

/** The client of a deployed function, from its environment. */
export const sqs = (): SQSClient => {
  made ??= createSqs(readAwsPlace("sqs"));
  return made;
};

/**
 * `body` is sent as JSON. `delaySeconds`: SQS delivers the message not earlier; more than 900 count as 900. `group`: whose
 * message it is; SQS delivers those of others first while many of a group are worked on.
 */
export type QueueMessage = { body: object; delaySeconds?: number; group?: string };

/**
 * On a standard queue, the group of a fair queue. Hashed, because SQS takes 128 characters, and not all of them.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
 */
const messageGroupOf = (group: string): string => createHash("sha256").update(group).digest("base64url");

export type Queue = ReturnType<typeof createQueue>;

/** @param client is called at the first message: `sqs` in a deployed function. */
export const createQueue = (client: () => SQSClient, QueueUrl: string) => ({
  /**
   * Sends messages, each at least once and within 2.5 s, or the request's time. Never throws.
   * @returns the messages that the queue did not accept, and the code or name of the reason, in no order.
   */
  async send<Message extends QueueMessage>(
    messages: readonly Message[],
  ): Promise<{ message: Message; reason: string }[]> {
    const entryOf = ({ body, delaySeconds = 0, group }: Message) => {
      const MessageBody = JSON.stringify(body);
      const DelaySeconds = Math.min(Math.max(Math.ceil(delaySeconds), 0), MAX_DELAY_SECONDS);
      const entry = {
        MessageBody,
        DelaySeconds,
        ...(group !== undefined && { MessageGroupId: messageGroupOf(group) }),
      };
      return { entry, bytes: Buffer.byteLength(MessageBody) };
    };
    const unsent = await sendBatches(messages, entryOf, MAX_BYTES, async (entries, abortSignal) => {
      const Entries = entries.map((entry, i) => ({ Id: String(i), ...entry }));
      const { Failed = [], Successful = [] } = await client().send(new SendMessageBatchCommand({ QueueUrl, Entries }), {
        abortSignal,
      });
      return Entries.map(({ Id }) =>
        Successful.some((sent) => sent.Id === Id)
          ? undefined
          : (Failed.find((failed) => failed.Id === Id)?.Code ?? "NoAnswer"),
      );
    });
    return unsent.map(({ one: message, reason }) => ({ message, reason }));
  },

  /**
   * Hides a received message for that time, at most 11 hours; the handler must report the message as failed, so that it
   * stays in the queue. Never throws: after a failure the message comes again when the queue's visibility time-out ends.
   */
  async postpone(ReceiptHandle: string, seconds: number): Promise<void> {
    const VisibilityTimeout = Math.min(Math.max(Math.ceil(seconds), 0), MAX_POSTPONE_SECONDS);
    const command = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout });
    try {
      await callStore((options) => client().send(command, options));
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.name : String(error);
      writeLog("warn", "Postponing a message failed; it comes again earlier", { cause });
    }
  },
});
