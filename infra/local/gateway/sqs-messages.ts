import { createHash } from "node:crypto";
import * as z from "zod";
import type { MessageAttributes } from "../queues/message-table.ts";
import type { Queue, ReceivedMessage } from "../queues/queues.ts";
import { SqsError } from "./sqs-error.ts";

/** Messages that a request sends together may be as large as one. */
export const MAX_BATCH_BYTES = 1_048_576;

/** One message as SendMessage and the entries of SendMessageBatch have it. */
export const Message = z.object({
  MessageBody: z.string(),
  DelaySeconds: z.int().min(0).max(900).optional(),
  MessageAttributes: z
    .record(
      z.string(),
      z.object({ DataType: z.string(), StringValue: z.string().optional(), BinaryValue: z.string().optional() }),
    )
    .default({}),
});

export type Message = z.infer<typeof Message>;

export const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

export const bytesOf = ({ MessageBody, MessageAttributes }: Message): number =>
  Object.entries(MessageAttributes).reduce(
    (sum, [name, { DataType, StringValue = "", BinaryValue = "" }]) =>
      sum + Buffer.byteLength(name + DataType + StringValue) + Buffer.from(BinaryValue, "base64").length,
    Buffer.byteLength(MessageBody),
  );

/** @throws SqsError for what SQS does not take. */
export const sendTo = (
  queue: Queue,
  message: Message,
  sender: string,
): { MessageId: string; MD5OfMessageBody: string } => {
  const { MessageBody: body, MessageAttributes: attributes, DelaySeconds } = message;
  if (body === "") throw new SqsError("MissingParameter", "The request must contain the parameter MessageBody.");
  if (Object.keys(attributes).length > 10)
    throw new SqsError("InvalidParameterValue", "Number of message attributes [11] exceeds the allowed maximum [10].");
  const { maximumMessageBytes: limit } = queue.model;
  if (bytesOf(message) > limit)
    throw new SqsError(
      "InvalidParameterValue",
      `One or more parameters are invalid. Reason: Message must be shorter than ${limit} bytes.`,
    );
  // Control characters that XML does not have. https://www.w3.org/TR/REC-xml/#charsets
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(body))
    throw new SqsError("InvalidMessageContents", "Invalid characters found. Valid unicode characters are #x9 | #xA …");
  const id = queue.send({
    body,
    attributes,
    sender,
    ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
  });
  return { MessageId: id, MD5OfMessageBody: md5(body) };
};

/** What SQS itself says of a message; times in epoch milliseconds, as text. */
export const systemAttributes = (message: ReceivedMessage): Record<string, string> => ({
  ApproximateFirstReceiveTimestamp: String(message.first_received_at ?? message.sent_at),
  ApproximateReceiveCount: String(message.receive_count),
  SenderId: message.sender,
  SentTimestamp: String(message.sent_at),
  ...(message.dead_letter_source !== null && { DeadLetterQueueSourceArn: message.dead_letter_source }),
});

/** Those of the names; `All` and `.*` mean every one, `prefix.*` those that begin so. */
const chosen = <T>(all: Record<string, T>, names: readonly string[]): Record<string, T> | undefined => {
  const isChosen = (name: string) =>
    names.some((one) => one === "All" || one === name || (one.endsWith(".*") && name.startsWith(one.slice(0, -2))));
  const found = Object.entries(all).filter(([name]) => isChosen(name));
  return found.length === 0 ? undefined : Object.fromEntries(found);
};

/** A message as ReceiveMessage answers it. */
export const receivedMessage = (message: ReceivedMessage, names: { system: string[]; own: string[] }) => {
  const Attributes = chosen(systemAttributes(message), names.system);
  const MessageAttributes: MessageAttributes | undefined = chosen(message.attributes, names.own);
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    Body: message.body,
    MD5OfBody: md5(message.body),
    ...(Attributes !== undefined && { Attributes }),
    ...(MessageAttributes !== undefined && { MessageAttributes }),
  };
};
