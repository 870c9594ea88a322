import type { Activity } from "../core/activity.ts";
import type { TargetModel } from "../core/model.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import type { InvokeAsynchronously } from "../lambda/invoke-asynchronously.ts";
import type { Queues } from "../queues/queues.ts";
import { targetPayload } from "./target-input.ts";

const EVENTBRIDGE = "events.amazonaws.com";

/**
 * Sends an event to one target of a rule. Resolves when the delivery is over: a queue has the message, or the
 * function and its retries have ended. An event that cannot be delivered is logged as lost. Never rejects.
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

  /** @returns why the target did not take the event; undefined if it did. */
  const send = async (ruleArn: string, { arn, input }: TargetModel, event: unknown): Promise<string | undefined> => {
    const queue = queues.find(arn);
    const [action, verb] = queue === undefined ? ["lambda:InvokeFunction", "invoke"] : ["sqs:SendMessage", "send to"];
    const principal = { kind: "service", service: EVENTBRIDGE, sourceArn: ruleArn } as const;
    const { allowed, reason } = authorizer.judge({ principal, action, resource: arn });
    if (!allowed) return `may not ${verb} ${arn} ${reason}`;
    const payload = targetPayload(input, event);
    if (queue !== undefined) {
      queue.send({ body: payload, sender: EVENTBRIDGE });
      return undefined;
    }
    // A function that fails is retried by Lambda, not by the rule.
    const result = await invokeAsynchronously(arn, payload);
    return result.ok || result.reason !== "refused" ? undefined : `cannot invoke ${arn}: ${result.error.errorMessage}`;
  };

  return async (rule, target, event) => {
    const end = activity.begin();
    try {
      const problem = await send(rule.arn, target, event);
      if (problem !== undefined) log(`LOST an event: the rule ${rule.name} ${problem}`);
    } catch (error) {
      log(`LOST an event: the rule ${rule.name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      end();
    }
  };
};
