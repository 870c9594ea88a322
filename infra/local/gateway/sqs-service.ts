import * as z from "zod";
import type { StackModel } from "../core/model.ts";
import { queueUrl } from "../queues/queue-url.ts";
import type { Queues } from "../queues/queues.ts";
import { type AwsService, errorAnswer, jsonAnswer } from "./service.ts";
import { SqsError } from "./sqs-error.ts";
import { operations } from "./sqs-operations.ts";

const ByUrl = z.object({ QueueUrl: z.string() });
const ByName = z.object({ QueueName: z.string() });

/** A batch needs the right of the single call. */
const actionOf = (operation: string): string => `sqs:${operation.replace(/Batch$/, "")}`;

const nameIn = (operation: string, json: unknown): string | undefined => {
  if (operation === "GetQueueUrl") return ByName.safeParse(json).data?.QueueName;
  const url = Object.hasOwn(operations, operation) ? ByUrl.safeParse(json).data?.QueueUrl : undefined;
  return url?.slice(url.lastIndexOf("/") + 1);
};

/** SQS, for standard queues that the template declares; every other operation is denied. */
export const createSqsService = (options: {
  model: Pick<StackModel, "region" | "accountId">;
  queues: Queues;
  /** Where the URLs of queues begin. */
  gatewayUrl: string;
}): AwsService => {
  const { model, queues, gatewayUrl } = options;
  const arnOf = (name: string): string => `arn:aws:sqs:${model.region}:${model.accountId}:${name}`;

  const run = async (operation: string, json: unknown, sender: string): Promise<unknown> => {
    const name = nameIn(operation, json) ?? "";
    const queue = queues.find(arnOf(name));
    if (queue === undefined) throw new SqsError("QueueDoesNotExist", "The specified queue does not exist.");
    if (operation === "GetQueueUrl") return { QueueUrl: queueUrl(gatewayUrl, model.accountId, name) };
    return operations[operation]?.(queue, json, sender);
  };

  return {
    checks: ({ operation, json }) => {
      const name = nameIn(operation, json);
      return name === undefined ? undefined : [{ action: actionOf(operation), resource: arnOf(name) }];
    },
    answer: async ({ operation, json }, caller) => {
      try {
        return jsonAnswer(200, await run(operation, json, caller));
      } catch (error) {
        if (error instanceof SqsError) return errorAnswer(400, error.type, error.message);
        if (error instanceof z.ZodError) return errorAnswer(400, "InvalidParameterValue", z.prettifyError(error));
        throw error;
      }
    },
    close: () => {},
  };
};
