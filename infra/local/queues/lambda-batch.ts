import { createHash } from "node:crypto";
import * as z from "zod";
import type { ReceivedMessage } from "./queues.ts";

/** The event of a batch. Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
export const batchEvent = (messages: readonly ReceivedMessage[], queueArn: string) => ({
  Records: messages.map((message) => ({
    messageId: message.id,
    receiptHandle: message.receipt,
    body: message.body,
    attributes: {
      ApproximateFirstReceiveTimestamp: String(message.first_received_at ?? message.sent_at),
      ApproximateReceiveCount: String(message.receive_count),
      SenderId: message.sender,
      SentTimestamp: String(message.sent_at),
      ...(message.dead_letter_source !== null && { DeadLetterQueueSourceArn: message.dead_letter_source }),
    },
    messageAttributes: {},
    md5OfBody: createHash("md5").update(message.body).digest("hex"),
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
 * The messages of a batch that failed, according to the function's answer.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 * @returns all messages if the answer is malformed or names a message that was not in the batch.
 */
export const failedIn = <M extends { id: string }>(messages: readonly M[], answer: string): readonly M[] => {
  const parsed = Failures.safeParse(JSON.parse(answer));
  if (!parsed.success) return messages;
  const failed = parsed.data?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) ?? [];
  const isKnown = failed.every((id) => messages.some((message) => message.id === id));
  return isKnown ? messages.filter(({ id }) => failed.includes(id)) : messages;
};
