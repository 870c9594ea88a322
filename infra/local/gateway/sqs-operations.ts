import * as z from "zod";
import type { Queue } from "../queues/queues.ts";
import { waitForArrival } from "../queues/wait-for-arrival.ts";
import { SqsError } from "./sqs-error.ts";
import { bytesOf, MAX_BATCH_BYTES, Message, receivedMessage, sendTo } from "./sqs-messages.ts";

/** One operation on one queue; `sender` says who calls. @throws SqsError, or ZodError for a body that is not its. */
type Operation = (queue: Queue, body: unknown, sender: string) => unknown;

const Seconds = z.int().min(0).max(43_200);
const Receive = z.object({
  MaxNumberOfMessages: z.int().min(1).max(10).default(1),
  VisibilityTimeout: Seconds.optional(),
  WaitTimeSeconds: z.int().min(0).max(20).optional(),
  AttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  MessageAttributeNames: z.array(z.string()).default([]),
});
const Handle = z.object({ ReceiptHandle: z.string() });
const Visibility = z.object({ ReceiptHandle: z.string(), VisibilityTimeout: Seconds });
const AttributeNames = z.object({ AttributeNames: z.array(z.string()).default([]) });

const receive: Operation = async (queue, body) => {
  const request = Receive.parse(body);
  const { MaxNumberOfMessages: max, VisibilityTimeout, WaitTimeSeconds = queue.model.receiveWaitSeconds } = request;
  const options = { max, ...(VisibilityTimeout !== undefined && { visibilitySeconds: VisibilityTimeout }) };
  let messages = queue.receive(options);
  if (messages.length === 0 && WaitTimeSeconds > 0) {
    await waitForArrival(queue, WaitTimeSeconds * 1000);
    messages = queue.receive(options);
  }
  const names = {
    system: [...request.AttributeNames, ...request.MessageSystemAttributeNames],
    own: request.MessageAttributeNames,
  };
  return messages.length === 0 ? {} : { Messages: messages.map((message) => receivedMessage(message, names)) };
};

const changeVisibility = (queue: Queue, { ReceiptHandle, VisibilityTimeout }: z.infer<typeof Visibility>): void => {
  if (!queue.isReceived(ReceiptHandle))
    throw new SqsError("ReceiptHandleIsInvalid", "The input receipt handle is invalid.");
  queue.changeVisibility(ReceiptHandle, VisibilityTimeout);
};

/** Runs each entry by itself: one that fails is in `Failed`, and the others go on. */
const batch =
  <Shape extends z.ZodRawShape>(
    shape: z.ZodObject<Shape>,
    work: (queue: Queue, entry: z.infer<z.ZodObject<Shape>>, sender: string) => object,
    check: (entries: z.infer<z.ZodObject<Shape>>[]) => void = () => {},
  ): Operation =>
  (queue, body, sender) => {
    const { Entries } = z.object({ Entries: z.array(z.intersection(z.object({ Id: z.string() }), shape)) }).parse(body);
    if (Entries.length === 0)
      throw new SqsError("EmptyBatchRequest", "There should be at least one entry in the request.");
    if (Entries.length > 10)
      throw new SqsError("TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10.");
    if (new Set(Entries.map(({ Id }) => Id)).size < Entries.length)
      throw new SqsError("BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id.");
    check(Entries);
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const entry of Entries) {
      try {
        Successful.push({ Id: entry.Id, ...work(queue, entry, sender) });
      } catch (error) {
        if (!(error instanceof SqsError)) throw error;
        Failed.push({ Id: entry.Id, SenderFault: true, Code: error.type, Message: error.message });
      }
    }
    return { Successful, ...(Failed.length > 0 && { Failed }) };
  };

const requireBatchSize = (entries: Message[]): void => {
  if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > MAX_BATCH_BYTES)
    throw new SqsError("BatchRequestTooLong", `Batch requests cannot be longer than ${MAX_BATCH_BYTES} bytes.`);
};

const queueAttributes = ({ model, depth }: Queue): Record<string, string> => {
  const { visible, inFlight, delayed } = depth();
  const { redrive } = model;
  return {
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    QueueArn: model.arn,
    VisibilityTimeout: String(model.visibilityTimeoutSeconds),
    MessageRetentionPeriod: String(model.retentionSeconds),
    DelaySeconds: String(model.delaySeconds),
    ReceiveMessageWaitTimeSeconds: String(model.receiveWaitSeconds),
    MaximumMessageSize: String(model.maximumMessageBytes),
    ...(redrive !== undefined && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: redrive.deadLetterArn,
        maxReceiveCount: redrive.maxReceiveCount,
      }),
    }),
  };
};

/** What can be asked of a queue; GetQueueUrl is answered in sqs-service.ts, since it names none by URL. */
export const operations: Record<string, Operation> = {
  SendMessage: (queue, body, sender) => sendTo(queue, Message.parse(body), sender),
  SendMessageBatch: batch(Message, sendTo, requireBatchSize),
  ReceiveMessage: receive,
  DeleteMessage: (queue, body) => {
    queue.delete(Handle.parse(body).ReceiptHandle);
    return {};
  },
  DeleteMessageBatch: batch(Handle, (queue, { ReceiptHandle }) => {
    queue.delete(ReceiptHandle);
    return {};
  }),
  ChangeMessageVisibility: (queue, body) => {
    changeVisibility(queue, Visibility.parse(body));
    return {};
  },
  ChangeMessageVisibilityBatch: batch(Visibility, (queue, entry) => {
    changeVisibility(queue, entry);
    return {};
  }),
  PurgeQueue: (queue) => {
    queue.purge();
    return {};
  },
  GetQueueAttributes: (queue, body) => {
    const { AttributeNames: names } = AttributeNames.parse(body);
    const all = Object.entries(queueAttributes(queue));
    return { Attributes: Object.fromEntries(all.filter(([name]) => names.includes("All") || names.includes(name))) };
  },
};
