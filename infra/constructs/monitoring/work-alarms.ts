import { Duration, Fn } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import {
  allBackgroundFunctions,
  type BackgroundFunction,
  type BackgroundFunctionName,
} from "../../../shared/api/background-functions.ts";
import type { QueueName } from "../../../shared/api/queues.ts";
import {
  type AlarmDefinition,
  FIVE_MINUTES,
  functionOf,
  inParts,
  isSchedule,
  namesWith,
  startedByEvents,
  sumOf,
  type Watched,
} from "./watched.ts";

const MINUTE_MS = 60_000;

/** Those that do the work of many organizations, and so use the most concurrency. */
const workers = startedByEvents.filter((name) => !namesWith(isSchedule).includes(name));
/** Without apply-mail-feedback: MailFeedbackWaiting notices if it cannot start. */
const startedByQueues = namesWith((trigger) => "queueOf" in trigger && trigger.queueOf !== "MailFeedback");

const perFunction = (
  watched: Watched,
  names: readonly BackgroundFunctionName[],
  metricName: string,
  statistic: "Sum" | "Maximum" = "Sum",
) =>
  names
    .filter((name) => watched.background.has(name))
    .map((name) => functionOf(watched, name).metric(metricName, { statistic, period: FIVE_MINUTES }));

const subjects: Record<BackgroundFunction["subject"], string> = {
  security: "SecurityEvent",
  completeness: "Completeness",
  sync: "Sync",
  webhooks: "Webhook",
  detection: "Detection",
  reports: "Report",
  erasure: "Erasure",
  exports: "Export",
  notifications: "Notification",
};

/**
 * Events that EventBridge could not give to a function: it was deleted, or does not permit the rule. The rules' names are
 * taken from their ARNs, since CloudFormation refers to a rule of a bus by `bus|rule`.
 */
const failedStarts = ({ rules }: Watched, names: readonly BackgroundFunctionName[], period: Duration): Metric[] =>
  names
    .flatMap((name) => rules.get(name) ?? [])
    .map((rule) => {
      const [, EventBusName, RuleName] = [0, 1, 2].map((index) => Fn.select(index, Fn.split("/", rule.ruleArn)));
      return new Metric({
        namespace: "AWS/Events",
        metricName: "FailedInvocations",
        dimensionsMap: { EventBusName: EventBusName ?? "", RuleName: RuleName ?? "" },
        statistic: "Sum",
        period,
      });
    });

const FIFTEEN_MINUTES = Duration.minutes(15);

/** Background functions: Lambda runs an event three times, with pauses of one and two minutes, and then drops it. */
export const workAlarms = (watched: Watched): AlarmDefinition[] => [
  ...Object.entries(subjects).map(([subject, word]) => {
    const names = allBackgroundFunctions
      .filter(([name, found]) => found.subject === subject && watched.background.has(name))
      .map(([name]) => name);
    return {
      name: `${word}FunctionsFailing`,
      description: `Within 15 minutes, three invocations of ${names.join(", ")} failed, or an event could not start one`,
      metric: sumOf({
        metrics: names.map((name) => functionOf(watched, name).metricErrors({ period: FIFTEEN_MINUTES })),
        triple: failedStarts(watched, names, FIFTEEN_MINUTES),
        label: "Failed invocations",
        period: FIFTEEN_MINUTES,
      }),
      atLeast: 3,
      periods: 1,
    };
  }),
  ...inParts({
    name: "FunctionsThrottled",
    description: "For 15 minutes, Lambda refused to start functions of webhooks or workers: the concurrency is used up",
    metrics: [
      watched.webhooks.receive.metricThrottles({ period: FIVE_MINUTES }),
      ...perFunction(watched, [...workers, ...startedByQueues], "Throttles"),
    ],
    label: "Refused invocations",
    atLeast: 1,
    periods: 3,
  }),
  ...inParts({
    name: "EventsDropped",
    description: "Lambda dropped an event: a function failed three times, or could not be started for six hours",
    // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#async-invocation-metrics
    metrics: perFunction(watched, startedByEvents, "AsyncEventsDropped"),
    label: "Dropped events",
    atLeast: 1,
    periods: 1,
  }),
  ...inParts({
    name: "EventsDelayed",
    description: "An event waited 30 minutes or longer for its function",
    // Milliseconds.
    term: `($ >= ${30 * MINUTE_MS})`,
    metrics: perFunction(watched, startedByEvents, "AsyncEventAge", "Maximum"),
    label: "Functions with an event that waited 30 minutes",
    atLeast: 1,
    periods: 1,
  }),
];

/** What the messages of a queue are, for alarms' names and sentences. */
const contents: Record<QueueName, { name: string; noun: string }> = {
  WebhookReceived: { name: "Webhooks", noun: "webhook" },
  SecurityEventNotRecorded: { name: "SecurityEvents", noun: "security event" },
  AlertsToNotify: { name: "AlertNotices", noun: "change of an alert or a new report" },
  NotificationsToSend: { name: "Notifications", noun: "notification" },
  MailFeedback: { name: "MailFeedback", noun: "bounce or complaint" },
};

/**
 * How long a queue's messages have waited. The age of the oldest message leaves out messages that were received three
 * times, so the queue of events that may fail for long is watched by the number of messages, also those in flight.
 * Deliveries wait in their queue for the next try, or for the time of a summary: their number and age say nothing.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
const waitingIn = (
  name: QueueName,
  queue: Queue,
): Pick<AlarmDefinition, "metric" | "atLeast" | "periods"> | undefined => {
  if (name === "NotificationsToSend") return undefined;
  return name === "SecurityEventNotRecorded"
    ? {
        metric: sumOf({
          metrics: [
            queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES }),
            queue.metricApproximateNumberOfMessagesNotVisible({ period: FIVE_MINUTES }),
          ],
          label: "Waiting messages",
        }),
        atLeast: 1,
        periods: 3,
      }
    : {
        metric: queue.metricApproximateAgeOfOldestMessage({ period: FIVE_MINUTES }),
        atLeast: Duration.minutes(15).toSeconds(),
        periods: 1,
      };
};

export const queueAlarms = ({ queues }: Watched): AlarmDefinition[] =>
  [...queues].flatMap(([queueName, queue]) => {
    const { name, noun } = contents[queueName];
    const waiting = waitingIn(queueName, queue);
    const deadLetters = queue.deadLetterQueue?.queue;
    return [
      ...(waiting === undefined
        ? []
        : [{ name: `${name}Waiting`, description: `A ${noun} has waited for 15 minutes`, ...waiting }]),
      ...(deadLetters === undefined
        ? []
        : [
            {
              name: `${name}DeadLettered`,
              description: `A ${noun} failed too often and lies in the dead-letter queue`,
              metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES }),
              atLeast: 1,
              periods: 1,
            },
          ]),
    ];
  });
