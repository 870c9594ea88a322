import { createHash } from "node:crypto";
import * as z from "zod";
import type { StackModel } from "../core/model.ts";
import type { Queue, Queues } from "../queues/queues.ts";
import { type AwsAnswer, type AwsService, errorAnswer, jsonAnswer } from "./service.ts";

/** Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_ENTRIES = 10;
const MAX_BYTES = 1_048_576;
const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;

/** Strict: a parameter that is not supported, such as MessageAttributes, must not be ignored. */
const Message = z.strictObject({
  MessageBody: z.string().min(1),
  DelaySeconds: z.int().min(0).max(MAX_DELAY_SECONDS).optional(),
  MessageGroupId: z
    .string()
    .regex(/^[!-~]{1,128}$/)
    .optional(),
});
const Entry = z.strictObject({ ...Message.shape, Id: z.string().regex(/^[\w-]{1,80}$/) });
const requests = {
  SendMessage: z.strictObject({ QueueUrl: z.string(), ...Message.shape }),
  SendMessageBatch: z.strictObject({ QueueUrl: z.string(), Entries: z.array(Entry) }),
  ChangeMessageVisibility: z.strictObject({
    QueueUrl: z.string(),
    ReceiptHandle: z.string(),
    VisibilityTimeout: z.int().min(0).max(MAX_VISIBILITY_SECONDS),
  }),
};

const invalid = (message: string): AwsAnswer => errorAnswer(400, "InvalidParameterValue", message);

/**
 * SQS for functions: SendMessage, SendMessageBatch and ChangeMessageVisibility. Every other operation is denied. Queues
 * that invoke functions are read by event-source-mappings.ts.
 */
export const createSqsService = (options: {
  model: Pick<StackModel, "region" | "accountId">;
  queues: Pick<Queues, "find">;
}): AwsService => {
  const { model, queues } = options;
  /** The ARN of the queue in a URL such as `https://sqs.eu-central-1.amazonaws.com/000000000000/name`. */
  const arnOf = (url: string) =>
    `arn:aws:sqs:${model.region}:${model.accountId}:${url.slice(url.lastIndexOf("/") + 1)}`;

  const send = (queue: Queue, { MessageBody, DelaySeconds, MessageGroupId }: z.infer<typeof Message>) => ({
    MessageId: queue.send({
      body: MessageBody,
      sender: "sqs",
      ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
      ...(MessageGroupId !== undefined && { group: MessageGroupId }),
    }),
    MD5OfMessageBody: createHash("md5").update(MessageBody).digest("hex"),
  });

  const sendBatch = (queue: Queue, entries: readonly z.infer<typeof Entry>[]): AwsAnswer => {
    if (entries.length === 0)
      return errorAnswer(400, "EmptyBatchRequest", "There should be at least one SendMessageBatchRequestEntry.");
    if (entries.length > MAX_ENTRIES)
      return errorAnswer(
        400,
        "TooManyEntriesInBatchRequest",
        `Maximum number of entries per request are ${MAX_ENTRIES}.`,
      );
    if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
      return errorAnswer(400, "BatchEntryIdsNotDistinct", "Two or more batch entries have the same Id.");
    if (entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0) > MAX_BYTES)
      return errorAnswer(400, "BatchRequestTooLong", `Batch requests cannot be longer than ${MAX_BYTES} bytes.`);
    return jsonAnswer(200, { Successful: entries.map(({ Id, ...message }) => ({ Id, ...send(queue, message) })) });
  };

  const changeVisibility = (queue: Queue, receipt: string, seconds: number): AwsAnswer => {
    switch (queue.changeVisibility(receipt, seconds)) {
      case "changed":
        return jsonAnswer(200, {});
      case "visible":
        return errorAnswer(400, "MessageNotInflight", "The message referred to isn't in flight.");
      case "unknown":
        return errorAnswer(400, "ReceiptHandleIsInvalid", `The input receipt handle "${receipt}" is not valid.`);
    }
  };

  const answer = (operation: string, json: unknown, queue: Queue): AwsAnswer => {
    if (operation === "SendMessageBatch") {
      const { data, error } = requests.SendMessageBatch.safeParse(json);
      return data === undefined ? invalid(z.prettifyError(error)) : sendBatch(queue, data.Entries);
    }
    if (operation === "SendMessage") {
      const { data, error } = requests.SendMessage.safeParse(json);
      if (data === undefined) return invalid(z.prettifyError(error));
      return Buffer.byteLength(data.MessageBody) > MAX_BYTES
        ? invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${MAX_BYTES} bytes.`)
        : jsonAnswer(200, send(queue, data));
    }
    const { data, error } = requests.ChangeMessageVisibility.safeParse(json);
    if (data === undefined) return invalid(z.prettifyError(error));
    return changeVisibility(queue, data.ReceiptHandle, data.VisibilityTimeout);
  };

  const queueUrlIn = (json: unknown): string | undefined =>
    z.object({ QueueUrl: z.string() }).safeParse(json).data?.QueueUrl;

  return {
    checks: ({ operation, json }) => {
      const url = queueUrlIn(json);
      if (url === undefined || !Object.hasOwn(requests, operation)) return undefined;
      // A batch needs the right to send a message; there is no action of its own.
      // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-batch-api.html
      const action = operation === "SendMessageBatch" ? "SendMessage" : operation;
      return [{ action: `sqs:${action}`, resource: arnOf(url) }];
    },
    answer: async ({ operation, json }) => {
      const queue = queues.find(arnOf(queueUrlIn(json) ?? ""));
      return queue === undefined
        ? errorAnswer(400, "QueueDoesNotExist", "The specified queue does not exist.")
        : answer(operation, json, queue);
    },
    close: () => {},
  };
};
