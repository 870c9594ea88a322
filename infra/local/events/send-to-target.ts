import type { Authorizer } from "../iam/authorizer.ts";
import type { InvokeAsynchronously } from "../lambda/invoke-asynchronously.ts";
import type { NewMessage, Queues } from "../queues/queues.ts";

/** Why a target did not take an event. The codes are those of dead letters; what is retriable may help another time. */
export type Undelivered = { code: string; message: string; retriable: boolean };

/** Sends JSON text to a function or to a queue on behalf of a rule. Resolves when a function has done its work. */
export type Send = (ruleArn: string, targetArn: string, payload: string) => Promise<"sent" | Undelivered>;

/** A rule, as far as its targets need to know it. */
export type DeliveringRule = { name: string; arn: string };

/** An event that was given up; `exhausted` names the bound of the RetryPolicy that was reached. */
export type DeadLetter = {
  event: unknown;
  targetArn: string;
  code: string;
  message: string;
  retries: number;
  exhausted?: string;
};

const SENDER = "events.amazonaws.com";

/** What EventBridge may do is what the policies of functions and queues say that this rule may. */
export const createSend = (options: {
  authorizer: Authorizer;
  invokeAsynchronously: InvokeAsynchronously;
  queues: Queues;
}) => {
  const { authorizer, invokeAsynchronously, queues } = options;
  const judge = (ruleArn: string, action: string, resource: string) =>
    authorizer.judge({ principal: { kind: "service", service: SENDER, sourceArn: ruleArn }, action, resource });

  /** @returns undefined when the queue has the message. */
  const enqueue = (ruleArn: string, queueArn: string, message: Omit<NewMessage, "sender">): Undelivered | undefined => {
    const queue = queues.find(queueArn);
    if (queue === undefined)
      return { code: "RESOURCE_NOT_FOUND", message: `finds no queue ${queueArn}`, retriable: false };
    const verdict = judge(ruleArn, "sqs:SendMessage", queueArn);
    if (!verdict.allowed)
      return { code: "NO_PERMISSIONS", message: `may not send to ${queueArn} ${verdict.reason}`, retriable: false };
    if (Buffer.byteLength(message.body) > queue.model.maximumMessageBytes)
      return { code: "INVALID_PARAMETER", message: `has too large an event for ${queueArn}`, retriable: false };
    try {
      queue.send({ ...message, sender: SENDER });
      return undefined;
    } catch (error) {
      return { code: "SERVICE_FAILURE", message: `cannot send to ${queueArn}: ${error}`, retriable: true };
    }
  };

  const send: Send = async (ruleArn, targetArn, payload) => {
    if (targetArn.startsWith("arn:aws:sqs:")) return enqueue(ruleArn, targetArn, { body: payload }) ?? "sent";
    const verdict = judge(ruleArn, "lambda:InvokeFunction", targetArn);
    if (!verdict.allowed)
      return { code: "NO_PERMISSIONS", message: `may not invoke ${targetArn} ${verdict.reason}`, retriable: false };
    // Lambda takes it, and answers for what the function makes of it.
    const result = await invokeAsynchronously(targetArn, payload);
    if (result.ok || result.reason !== "refused") return "sent";
    return {
      code: result.error.errorType,
      message: `cannot invoke ${targetArn}: ${result.error.errorMessage}`,
      retriable: false,
    };
  };

  /** @returns why the queue did not take it, if so. */
  const sendDeadLetter = (queueArn: string, rule: DeliveringRule, letter: DeadLetter): string | undefined => {
    const attributes = {
      RULE_ARN: rule.arn,
      TARGET_ARN: letter.targetArn,
      ERROR_CODE: letter.code,
      ERROR_MESSAGE: letter.message,
      RETRY_ATTEMPTS: String(letter.retries),
      ...(letter.exhausted !== undefined && { EXHAUSTED_RETRY_CONDITION: letter.exhausted }),
    };
    const entries = Object.entries(attributes).map(([name, value]) => [
      name,
      { DataType: "String", StringValue: value },
    ]);
    return enqueue(rule.arn, queueArn, { body: JSON.stringify(letter.event), attributes: Object.fromEntries(entries) })
      ?.message;
  };

  return { send, sendDeadLetter };
};
