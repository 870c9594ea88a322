import type { Activity } from "../core/activity.ts";
import type { TargetModel } from "../core/model.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import type { InvokeAsynchronously } from "../lambda/invoke-asynchronously.ts";
import type { Queues } from "../queues/queues.ts";
import { targetPayload } from "./target-input.ts";

const EVENTBRIDGE = "events.amazonaws.com";

/**
 * Sends an event to one target of a rule. Resolves when a queue has the message, or when the function and its retries
 * have ended. An event that cannot be delivered goes to the target's dead-letter queue, or is
 * logged as lost if there is none. Never rejects.
 */
export type Deliver = (rule: { name: string; arn: string }, target: TargetModel, event: unknown) => Promise<void>;

/** Counts each delivery as activity. The policies of functions and queues decide which rules may reach them. */
export const createDeliver = (options: {
  authorizer: Authorizer;
  invokeAsynchronously: InvokeAsynchronously;
  queues: Queues;
  activity: Pick<Activity, "begin">;
  log: (line: string) => void;
}): Deliver => {
  const { authorizer, invokeAsynchronously, queues, activity, log } = options;

  /** @returns why the rule may not reach the target; undefined if it may. */
  const refusalOf = (ruleArn: string, arn: string): string | undefined => {
    const isFunction = queues.find(arn) === undefined;
    const [action, verb] = isFunction ? ["lambda:InvokeFunction", "invoke"] : ["sqs:SendMessage", "send to"];
    const principal = { kind: "service", service: EVENTBRIDGE, sourceArn: ruleArn } as const;
    const { allowed, reason } = authorizer.judge({ principal, action, resource: arn });
    return allowed ? undefined : `may not ${verb} ${arn} ${reason}`;
  };

  /** @returns why the target did not take the event; undefined if it did. */
  const send = async (ruleArn: string, { arn, input }: TargetModel, event: unknown): Promise<string | undefined> => {
    const queue = queues.find(arn);
    const refusal = refusalOf(ruleArn, arn);
    if (refusal !== undefined) return refusal;
    const payload = targetPayload(input, event);
    if (queue !== undefined) {
      queue.send({ body: payload, sender: EVENTBRIDGE });
      return undefined;
    }
    // A function that fails is retried by Lambda, not by the rule.
    const result = await invokeAsynchronously(arn, payload);
    return result.ok || result.reason !== "refused" ? undefined : `cannot invoke ${arn}: ${result.error.errorMessage}`;
  };

  /** Keeps an event that its target did not take, if the target has a dead-letter queue. @returns whether it is kept. */
  const keep = (ruleArn: string, { deadLetterArn = "" }: TargetModel, event: unknown): boolean => {
    const queue = queues.find(deadLetterArn);
    if (queue === undefined || refusalOf(ruleArn, deadLetterArn) !== undefined) return false;
    queue.send({ body: JSON.stringify(event), sender: EVENTBRIDGE });
    return true;
  };

  return async (rule, target, event) => {
    const end = activity.begin();
    try {
      const problem = await send(rule.arn, target, event).catch(
        (error: unknown) => `: ${error instanceof Error ? error.message : String(error)}`,
      );
      if (problem === undefined) return;
      const isKept = keep(rule.arn, target, event);
      log(`${isKept ? "DEAD LETTER" : "LOST an event"}: the rule ${rule.name} ${problem}`);
    } finally {
      end();
    }
  };
};
