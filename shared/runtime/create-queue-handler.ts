/** From a queue to pieces of work: one message at a time, and only those that failed come again. */
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod/mini";
import { writeLog } from "./log.ts";

export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** What EventBridge puts around the detail of an event that a rule sends to a queue. */
const Envelope = z.object({ detail: z.unknown() });

/**
 * The Lambda handler of a queue that a rule of the event bus fills.
 * Queues deliver at least once: the work must bear being done again.
 * @param name for its log lines.
 * @param schema of the detail; a message that is none fails, stays in the queue and so raises the alarm.
 */
export const createQueueHandler = <Schema extends z.ZodMiniType>(
  name: string,
  schema: Schema,
  work: (detail: z.output<Schema>) => Promise<void>,
): QueueHandler => {
  const handleOne = async (messageId: string, body: string): Promise<boolean> => {
    try {
      await work(schema.parse(Envelope.parse(JSON.parse(body)).detail));
      return true;
    } catch (error) {
      writeLog("error", name, { messageId, cause: error instanceof Error ? error.stack : String(error) });
      return false;
    }
  };

  return async ({ Records }) => {
    const failed: SQSBatchResponse["batchItemFailures"] = [];
    for (const { messageId, body } of Records) {
      if (!(await handleOne(messageId, body))) failed.push({ itemIdentifier: messageId });
    }
    writeLog("info", name, { messages: Records.length, failed: failed.length });
    return { batchItemFailures: failed };
  };
};
