import { randomUUID } from "node:crypto";
import type { ScheduleModel } from "./core/model.ts";
import type { Deliver } from "./events/deliver.ts";

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

/** Hands the event of one occurrence to every target of the rule. */
export const createFireSchedule =
  (deliver: Deliver): FireSchedule =>
  async (schedule, epochMs) => {
    const event = scheduledEvent(schedule.arn, epochMs);
    await Promise.all(schedule.targets.map((target) => deliver(schedule, target, event)));
  };
