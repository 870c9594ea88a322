import { Duration, Stack } from "aws-cdk-lib";
import { type EventBus, EventField, Match, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import {
  allBackgroundFunctions,
  type BackgroundFunction,
  type BackgroundFunctionName,
  type Trigger,
} from "../../shared/api/background-functions.ts";
import { type BusEventName, partsOf } from "../../shared/api/bus-events.ts";
import type { AccessTo } from "./access/access-to.ts";
import { patternOf } from "./event-bus.ts";
import { backgroundAccess } from "./grants.ts";
import { requireAccess } from "./require-complete.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import { type FunctionConfig, ServiceFunction } from "./service-function.ts";

/** The construct of a subject's functions. Logical ids contain its name, so a new name replaces functions. */
const groupIds: Record<BackgroundFunction["subject"], string> = {
  security: "Background",
  sync: "Sync",
  webhooks: "Webhooks",
  detection: "Judging",
  reports: "Judging",
  erasure: "Judging",
};

const toConstructId = (name: string) =>
  name.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());

type Props = {
  access: AccessTo;
  bus: EventBus;
  /** The queues that keep events until a function has processed them. */
  queues: ReadonlyMap<BusEventName, Queue>;
  config: FunctionConfig & Pick<DeploymentConfig, "SYNC_INTERVAL_HOURS" | "webhookConcurrency" | "reservedConcurrency">;
};

/** Adds the functions of shared/api/background-functions.ts, which schedules, events and queues start. Returns them. */
export const addBackgroundFunctions = (
  stack: Stack,
  { access, bus, queues, config }: Props,
): ReadonlyMap<BackgroundFunctionName, LambdaFunction> => {
  const functions = new Map<BackgroundFunctionName, LambdaFunction>();
  const names = allBackgroundFunctions.map(([name]) => name);
  const accessOf = requireAccess("backgroundAccess", names, backgroundAccess(access));
  for (const [name, definition] of allBackgroundFunctions) {
    const groupId = groupIds[definition.subject];
    const group = (stack.node.tryFindChild(groupId) as Construct | undefined) ?? new Construct(stack, groupId);
    const id = toConstructId(name);
    const { function: target } = new ServiceFunction(group, id, {
      file: name,
      description: definition.description,
      access: accessOf[name],
      config,
      timeout: Duration.seconds(definition.timeoutSeconds),
      reservedConcurrency: config.reservedConcurrency[name],
    });
    for (const trigger of definition.triggers)
      addTrigger({ group, id, name, target }, trigger, { bus, queues, config });
    functions.set(name, target);
  }
  return functions;
};

type Added = { group: Construct; id: string; name: BackgroundFunctionName; target: LambdaFunction };

const addTrigger = (added: Added, trigger: Trigger, { bus, queues, config }: Omit<Props, "access">): void => {
  if ("hourlyAtMinute" in trigger) {
    const minute = trigger.hourlyAtMinute;
    addSchedule(added, `cron(${minute} * * * ? *)`, `Hourly, at minute ${minute}`);
  } else if ("everyHours" in trigger) {
    const hours = config[trigger.everyHours];
    const interval = `${hours} ${hours === 1 ? "hour" : "hours"}`;
    addSchedule(added, `rate(${interval})`, `Every ${interval}`);
  } else if ("event" in trigger) addEventRules(added, trigger.event, bus);
  else {
    const queue = queues.get(trigger.queueOf);
    if (queue === undefined) throw new Error(`There is no queue of ${trigger.queueOf}.`);
    const { batchSize, maxConcurrency: bound } = trigger;
    const maxConcurrency = typeof bound === "number" ? bound : config[bound];
    added.target.addEventSource(
      new SqsEventSource(queue, { batchSize, maxConcurrency, reportBatchItemFailures: true }),
    );
  }
};

/** The rule has the function's name, so that operators can find and fire it. */
const addSchedule = ({ group, id, name, target }: Added, expression: string, description: string): void => {
  new Rule(group, `${id}Schedule`, {
    ruleName: `${Stack.of(target).stackName}-${name}`,
    description,
    schedule: Schedule.expression(expression),
    targets: [new LambdaTarget(target)],
  });
};

/** One rule for the event, or one for each of its parts; the function then receives the part as the detail. */
const addEventRules = ({ group, id, target }: Added, event: BusEventName, bus: EventBus): void => {
  const parts = partsOf(event);
  if (parts === undefined) {
    new Rule(group, `${id}On${event}`, {
      eventBus: bus,
      description: `Delivers ${event}`,
      eventPattern: patternOf(event),
      targets: [new LambdaTarget(target)],
    });
    return;
  }
  for (const part of parts) {
    new Rule(group, `${id}On${event}-${part}`, {
      eventBus: bus,
      description: `Delivers ${part} of ${event}`,
      eventPattern: { ...patternOf(event), detail: { [part]: { version: Match.exists() } } },
      targets: [
        new LambdaTarget(target, {
          event: RuleTargetInput.fromObject({
            id: EventField.eventId,
            time: EventField.time,
            detail: EventField.fromPath(`$.detail.${part}`),
          }),
        }),
      ],
    });
  }
};
