import { Duration, Names, Stack } from "aws-cdk-lib";
import { type EventBus, EventField, Match, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import {
  allBackgroundFunctions,
  type BackgroundFunction,
  type BackgroundFunctionName,
  type Trigger,
} from "../../shared/api/background-functions.ts";
import { type BusEventName, partsOf } from "../../shared/api/bus-events.ts";
import { consumedEvents } from "../../shared/api/consumed-events.ts";
import type { QueueName } from "../../shared/api/queues.ts";
import { patternOf } from "./event-bus.ts";
import type { AccessTo } from "./grants.ts";
import { requireAccess } from "./require-complete.ts";
import { type Access, NO_ACCESS, together, variables } from "./resources/access.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import { type FunctionConfig, ServiceFunction } from "./service-function.ts";
import { groupIn, type SubjectStacks, toConstructId } from "./subject-stacks.ts";

/** The construct of a subject's functions. Logical ids contain its name, so a new name replaces functions. */
const groupIds: Record<BackgroundFunction["subject"], string> = {
  security: "Background",
  completeness: "Completeness",
  sync: "Sync",
  webhooks: "Webhooks",
  detection: "Judging",
  reports: "Judging",
  erasure: "Judging",
  exports: "Exporting",
  notifications: "Notifications",
};

type Props = {
  stacks: SubjectStacks;
  access: AccessTo;
  bus: EventBus;
  /** The queues that keep events until a function has processed them. */
  queues: ReadonlyMap<QueueName, Queue>;
  config: FunctionConfig &
    Pick<
      DeploymentConfig,
      | "SYNC_INTERVAL_HOURS"
      | "webhookConcurrency"
      | "reservedConcurrency"
      | "siemFeed"
      | "archiveMonths"
      | "emailSender"
    >;
};

const queueOf = (name: QueueName, queues: Props["queues"]): Queue => {
  const queue = queues.get(name);
  if (queue === undefined) throw new Error(`There is no queue ${name}.`);
  return queue;
};

/**
 * The rights with which Lambda polls the queues of a function, under the function's role.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
const pollQueues = (triggers: readonly Trigger[], queues: Props["queues"]): Access => ({
  grants: triggers.flatMap((trigger) => {
    if (!("queueOf" in trigger)) return [];
    const actions = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"];
    return [{ actions, resources: [queueOf(trigger.queueOf, queues).queueArn] }];
  }),
  environment: {},
});

/** The events that the function accepts. The stack's rules send it no others; other callers of the function might. */
const acceptEvents = (name: BackgroundFunctionName): Access => {
  const events = consumedEvents(name);
  return events.length === 0 ? NO_ACCESS : variables({ CONSUMED_EVENTS: events.join(",") });
};

export type BackgroundFunctions = {
  functions: ReadonlyMap<BackgroundFunctionName, LambdaFunction>;
  /** The rules of events that start them. Of an event in parts, the rule of the first part. */
  rules: ReadonlyMap<BackgroundFunctionName, readonly Rule[]>;
};

/**
 * Adds the functions of shared/api/background-functions.ts, which schedules, events and queues start.
 * @param root has the schedules, because their names are unique in a region.
 */
export const addBackgroundFunctions = (
  root: Stack,
  { stacks, access, bus, queues, config }: Props,
): BackgroundFunctions => {
  const functions = new Map<BackgroundFunctionName, LambdaFunction>();
  const rules = new Map<BackgroundFunctionName, Rule[]>();
  const names = allBackgroundFunctions.map(([name]) => name);
  const accessOf = requireAccess(names, access);
  for (const [name, definition] of allBackgroundFunctions) {
    if (definition.onlyWith?.every((setting) => !config[setting])) continue;
    const groupId = groupIds[definition.subject];
    const group = groupIn(stacks.of(name), groupId);
    const id = toConstructId(name);
    const { function: target } = new ServiceFunction(group, id, {
      file: name,
      description: definition.description,
      access: together(accessOf[name], pollQueues(definition.triggers, queues), acceptEvents(name)),
      bus,
      config,
      timeout: Duration.seconds(definition.timeoutSeconds),
      reservedConcurrency: config.reservedConcurrency[name],
    });
    const added = { group, id, name, target, schedules: groupIn(root, groupId) };
    for (const trigger of definition.triggers) addTrigger(added, trigger, { queues, config });
    functions.set(name, target);
    rules.set(
      name,
      definition.triggers.flatMap((trigger) => ("event" in trigger ? addEventRules(added, trigger.event, bus) : [])),
    );
  }
  return { functions, rules };
};

type Added = {
  group: Construct;
  id: string;
  name: BackgroundFunctionName;
  target: LambdaFunction;
  /** The scope of its schedules. */
  schedules: Construct;
};

/** Adds what starts the function, except the rules of events. */
const addTrigger = (added: Added, trigger: Trigger, { queues, config }: Pick<Props, "queues" | "config">): void => {
  if ("hourlyAtMinute" in trigger) {
    const minute = trigger.hourlyAtMinute;
    addSchedule(added, `cron(${minute} * * * ? *)`, `Hourly, at minute ${minute}`);
  } else if ("everyMinutes" in trigger) {
    addSchedule(added, `rate(${trigger.everyMinutes} minutes)`, `Every ${trigger.everyMinutes} minutes`);
  } else if ("everyHours" in trigger) {
    const hours = config[trigger.everyHours];
    const interval = `${hours} ${hours === 1 ? "hour" : "hours"}`;
    addSchedule(added, `rate(${interval})`, `Every ${interval}`);
  } else if ("queueOf" in trigger) {
    const queue = queueOf(trigger.queueOf, queues);
    const { batchSize, maxConcurrency: bound } = trigger;
    // The id of the CDK's SqsEventSource, which would also add a policy: a new id would be a second mapping of the queue,
    // and Lambda refuses it.
    added.target.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
      eventSourceArn: queue.queueArn,
      batchSize,
      maxConcurrency: typeof bound === "number" ? bound : config[bound],
      reportBatchItemFailures: true,
    });
  }
};

/** The rule has the function's name, so that operators can find and fire it. */
const addSchedule = ({ schedules, id, name, target }: Added, expression: string, description: string): void => {
  new Rule(schedules, `${id}Schedule`, {
    ruleName: `${Stack.of(schedules).stackName}-${name}`,
    description,
    schedule: Schedule.expression(expression),
    targets: [new LambdaTarget(target)],
  });
};

/**
 * One rule for the event, or one for each of its parts; the function then receives the part as the detail.
 * @returns the first rule.
 */
const addEventRules = ({ group, id, target }: Added, event: BusEventName, bus: EventBus): Rule[] => {
  const parts = partsOf(event);
  if (parts === undefined) {
    const rule = new Rule(group, `${id}On${event}`, {
      eventBus: bus,
      description: `Delivers ${event}`,
      eventPattern: patternOf(event),
      targets: [new LambdaTarget(target)],
    });
    return [rule];
  }
  // One permission for the rules of all parts, in place of one for each.
  target.addPermission(`AllowRulesOf${event}`, {
    principal: new ServicePrincipal("events.amazonaws.com"),
    sourceArn: Stack.of(target).formatArn({
      service: "events",
      resource: "rule",
      resourceName: `${bus.eventBusName}/*`,
    }),
  });
  const addPart = (part: string): Rule =>
    new Rule(group, `${id}On${event}-${part}`, {
      eventBus: bus,
      description: `Delivers ${part} of ${event}`,
      eventPattern: { ...patternOf(event), detail: { [part]: { version: Match.exists() } } },
      targets: [
        {
          bind: () => ({
            arn: target.functionArn,
            input: RuleTargetInput.fromObject({
              source: EventField.source,
              "detail-type": EventField.detailType,
              id: EventField.eventId,
              time: EventField.time,
              detail: EventField.fromPath(`$.detail.${part}`),
            }),
            targetResource: target,
          }),
        },
      ],
    });
  return parts.map(addPart).slice(0, 1);
};
