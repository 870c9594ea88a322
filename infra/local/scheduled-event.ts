import { randomUUID } from "node:crypto";
import type { Authorizer } from "./iam/authorizer.ts";
import type { InvokeAsynchronously } from "./lambda/invoke-asynchronously.ts";
import type { ScheduleModel } from "./template/model.ts";

/**
 * What a rule's target gets when its schedule falls due.
 * Source: https://docs.aws.amazon.com/eventbridge/latest/ref/overiew-event-structure.html
 */
export const scheduledEvent = (ruleArn: string, epochMs: number) => {
  const [, , , region, account] = ruleArn.split(":");
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account,
    time: `${new Date(epochMs).toISOString().slice(0, 19)}Z`,
    region,
    resources: [ruleArn],
    detail: {},
  };
};

/** Fires one schedule as of a time. Resolves when its targets have finished or were given up; never rejects. */
export type FireSchedule = (schedule: ScheduleModel, epochMs: number) => Promise<void>;

/** Invokes every target whose function lets this rule in; says so where it does not. */
export const createFireSchedule =
  (options: {
    authorizer: Authorizer;
    invokeAsynchronously: InvokeAsynchronously;
    log: (line: string) => void;
  }): FireSchedule =>
  async (schedule, epochMs) => {
    const { authorizer, invokeAsynchronously, log } = options;
    await Promise.all(
      schedule.targets.map(async ({ functionArn, input }) => {
        const verdict = authorizer.judge({
          principal: { kind: "service", service: "events.amazonaws.com", sourceArn: schedule.arn },
          action: "lambda:InvokeFunction",
          resource: functionArn,
        });
        if (!verdict.allowed)
          return log(`the schedule ${schedule.name} may not invoke ${functionArn} ${verdict.reason}`);
        const event = input === undefined ? scheduledEvent(schedule.arn, epochMs) : input;
        await invokeAsynchronously(functionArn, JSON.stringify(event));
      }),
    );
  };
