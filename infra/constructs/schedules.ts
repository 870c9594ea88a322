import { Stack } from "aws-cdk-lib";
import { type EventBus, EventField, Match, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { ServiceFunction } from "./service-function.ts";

/** `DispatchDetection` → `dispatch-detection`, as the function's file is called. */
const toKebabCase = (id: string) => id.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();

/** Starts a function by a schedule; the rule stands beside it and bears its name, which operators fire it by. */
const schedule = ({ node, function: target }: ServiceFunction, expression: string, description: string): Rule =>
  new Rule(node.scope ?? target, `${node.id}Schedule`, {
    ruleName: `${Stack.of(target).stackName}-${toKebabCase(node.id)}`,
    description,
    schedule: Schedule.expression(expression),
    targets: [new LambdaFunction(target)],
  });

/** @param minute of each hour; schedules spread out, so that not all of them start at once. */
export const runHourly = (target: ServiceFunction, minute: number): Rule =>
  schedule(target, `cron(${minute} * * * ? *)`, `Hourly, at minute ${minute}`);

/** From the deployment on, every so many hours. */
export const runEvery = (target: ServiceFunction, hours: number): Rule =>
  schedule(
    target,
    `rate(${hours} ${hours === 1 ? "hour" : "hours"})`,
    `Every ${hours} ${hours === 1 ? "hour" : "hours"}`,
  );

/**
 * Hands each part of the service's own events of a type to an invocation of its own, as if it were an event's detail.
 * @param slots the fields of the detail that may have a part, which has a `version`; what is not there is not handed over.
 */
export const runOnEach = (
  bus: EventBus,
  detailType: string,
  slots: readonly string[],
  target: ServiceFunction,
): void => {
  for (const slot of slots) {
    new Rule(target.node.scope ?? target, `${target.node.id}On${detailType}-${slot}`, {
      eventBus: bus,
      description: `Hands ${slot} of ${detailType} over`,
      eventPattern: {
        source: ["integration-security"],
        detailType: [detailType],
        detail: { [slot]: { version: Match.exists() } },
      },
      targets: [
        new LambdaFunction(target.function, {
          event: RuleTargetInput.fromObject({
            id: EventField.eventId,
            time: EventField.time,
            detail: EventField.fromPath(`$.detail.${slot}`),
          }),
        }),
      ],
    });
  }
};

/** Hands the service's own events of a type to a function. */
export const runOn = (bus: EventBus, detailType: string, { node, function: target }: ServiceFunction): Rule =>
  new Rule(node.scope ?? target, `${node.id}On${detailType}`, {
    eventBus: bus,
    description: `Hands ${detailType} over`,
    eventPattern: { source: ["integration-security"], detailType: [detailType] },
    targets: [new LambdaFunction(target)],
  });
