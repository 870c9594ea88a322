import * as z from "zod";
import { md5, systemAttributes } from "../gateway/sqs-messages.ts";
import type { ReceivedMessage } from "./queues.ts";

/** The event of a batch. Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
export const batchEvent = (messages: readonly ReceivedMessage[], queueArn: string) => ({
  Records: messages.map((message) => ({
    messageId: message.id,
    receiptHandle: message.receipt,
    body: message.body,
    attributes: systemAttributes(message),
    messageAttributes: Object.fromEntries(
      Object.entries(message.attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
        name,
        {
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
          stringListValues: [],
          binaryListValues: [],
          dataType: DataType,
        },
      ]),
    ),
    md5OfBody: md5(message.body),
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3],
  })),
});

const Failures = z
  .object({
    batchItemFailures: z
      .array(z.object({ itemIdentifier: z.string() }))
      .nullish()
      .transform((failures) => failures ?? []),
  })
  .nullable();

/**
 * The messages of a batch that failed, by what the function answered.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 * @returns all of them for an answer that is malformed or names a message that was not in the batch.
 */
export const failedIn = <M extends { id: string }>(messages: readonly M[], answer: string): readonly M[] => {
  const parsed = Failures.safeParse(JSON.parse(answer));
  if (!parsed.success) return messages;
  const failed = parsed.data?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  const isKnown = failed.every((id) => messages.some((message) => message.id === id));
  return isKnown ? messages.filter(({ id }) => failed.includes(id)) : messages;
};
