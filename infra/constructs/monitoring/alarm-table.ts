/**
 * Every alarm of the service. Each has a section of the same name in docs/operations.md: what it means, what to look at,
 * what to do. An alarm costs per metric, so metrics of the same meaning share an alarm.
 */
import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, type Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import {
  allBackgroundFunctions,
  type BackgroundFunction,
  type BackgroundFunctionName,
  type Trigger,
} from "../../../shared/api/background-functions.ts";
import type { BusEventName } from "../../../shared/api/bus-events.ts";
import { FIVE_MINUTES, functionOf, loggedMetric, sumOf, type Watched } from "./watched.ts";

export type AlarmDefinition = {
  /** The alarm's name after the stack's name, and the heading of its section. */
  name: string;
  /** One sentence. */
  description: string;
  metric: IMetric;
  /** Raised if the metric has been at or above (`atLeast`) or below this for all of the last `periods`. */
  atLeast?: number;
  below?: number;
  /** Periods of the metric, which are five minutes unless the metric says otherwise. */
  periods: number;
};

const MINUTE_MS = 60_000;

const namesWith = (matches: (trigger: Trigger) => boolean): BackgroundFunctionName[] =>
  allBackgroundFunctions.filter(([, { triggers }]) => triggers.some(matches)).map(([name]) => name);

const isSchedule = (trigger: Trigger): boolean => "hourlyAtMinute" in trigger || "everyHours" in trigger;

const startedByEvents = namesWith((trigger) => "event" in trigger);
/** Those that do the work of many organizations, and so use the most concurrency. */
const workers = startedByEvents.filter((name) => !namesWith(isSchedule).includes(name));
const startedByQueues = namesWith((trigger) => "queueOf" in trigger);
const hourly = namesWith((trigger) => "hourlyAtMinute" in trigger);

const perFunction = (watched: Watched, names: readonly BackgroundFunctionName[], metricName: string) =>
  names.map((name) => functionOf(watched, name).metric(metricName, { statistic: "Sum", period: FIVE_MINUTES }));

/** Metrics of the address of webhooks: of the function URL, of the HTTP API, or of both. */
export const ofWebhooks = (
  { webhooks, config }: Pick<Watched, "webhooks" | "config">,
  names: { url: string; api: string },
  statistic: string,
): Metric[] => {
  const options = { statistic, period: FIVE_MINUTES };
  return [
    ...(config.webhookEntrance === "api" ? [] : [webhooks.receive.metric(names.url, options)]),
    ...(webhooks.api === undefined ? [] : [webhooks.api.metric(names.api, options)]),
  ];
};

/** The API and the address of webhooks: what clients and the provider notice. */
const ofRequests = ({ api, ...watched }: Watched): AlarmDefinition[] => [
  {
    name: "ApiFailing",
    description: "For ten minutes, at least 5 % of the API's answers were 5xx",
    metric: new MathExpression({
      // A single failure among few requests is no alarm.
      expression: "IF(failures >= 5, 100 * failures / requests, 0)",
      usingMetrics: {
        failures: api.metricServerError({ period: FIVE_MINUTES, statistic: "Sum" }),
        requests: api.metricCount({ period: FIVE_MINUTES, statistic: "Sum" }),
      },
      label: "Answers with 5xx, in percent",
      period: FIVE_MINUTES,
    }),
    atLeast: 5,
    periods: 2,
  },
  {
    name: "ApiSlow",
    description: "For 15 minutes, one in a hundred requests to the API took 5 s or more",
    metric: api.metricLatency({ period: FIVE_MINUTES, statistic: "p99" }),
    atLeast: 5_000,
    periods: 3,
  },
  {
    name: "WebhooksFailing",
    description: "For ten minutes, the webhook URL answered 5xx at least once a minute",
    metric: sumOf({
      metrics: ofWebhooks(watched, { url: "Url5xxCount", api: "5xx" }, "Sum"),
      label: "Answers with 5xx",
    }),
    atLeast: 5,
    periods: 2,
  },
  {
    name: "WebhooksSlow",
    description: "For 15 minutes, one in a hundred webhooks took 5 s or more to be stored",
    metric: sumOf({
      term: "($ >= 5000)",
      metrics: ofWebhooks(watched, { url: "UrlRequestLatency", api: "Latency" }, "p99"),
      label: "Addresses that are slow",
    }),
    atLeast: 1,
    periods: 3,
  },
];

const subjects: Record<BackgroundFunction["subject"], string> = {
  security: "SecurityEvent",
  sync: "Sync",
  webhooks: "Webhook",
  detection: "Detection",
  reports: "Report",
  erasure: "Erasure",
};

/** Background functions: Lambda runs an event three times, with pauses of one and two minutes, and then drops it. */
const ofWork = (watched: Watched): AlarmDefinition[] => [
  ...Object.entries(subjects).map(([subject, word]) => {
    const names = allBackgroundFunctions.filter(([, found]) => found.subject === subject).map(([name]) => name);
    return {
      name: `${word}FunctionsFailing`,
      description: `Three or more invocations of ${names.join(", ")} failed within 15 minutes`,
      metric: sumOf({
        metrics: names.map((name) => functionOf(watched, name).metricErrors({ period: Duration.minutes(15) })),
        label: "Failed invocations",
        period: Duration.minutes(15),
      }),
      atLeast: 3,
      periods: 1,
    };
  }),
  {
    name: "FunctionsThrottled",
    description: "For 15 minutes, Lambda refused to start functions of webhooks or workers: the concurrency is used up",
    metric: sumOf({
      metrics: [
        watched.webhooks.receive.metricThrottles({ period: FIVE_MINUTES }),
        ...perFunction(watched, [...workers, ...startedByQueues], "Throttles"),
      ],
      label: "Refused invocations",
    }),
    atLeast: 1,
    periods: 3,
  },
  {
    name: "EventsDropped",
    description: "Lambda dropped an event: a function failed three times, or could not be started for six hours",
    // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#async-invocation-metrics
    metric: sumOf({
      metrics: perFunction(watched, startedByEvents, "AsyncEventsDropped"),
      label: "Dropped events",
    }),
    atLeast: 1,
    periods: 1,
  },
  {
    name: "EventsDelayed",
    description: "An event waited 30 minutes or longer for its function",
    metric: sumOf({
      // Milliseconds.
      term: `($ >= ${30 * MINUTE_MS})`,
      metrics: startedByEvents.map((name) =>
        functionOf(watched, name).metric("AsyncEventAge", { period: FIVE_MINUTES, statistic: "Maximum" }),
      ),
      label: "Functions with an event that waited 30 minutes",
    }),
    atLeast: 1,
    periods: 1,
  },
];

/** What the messages of a queue are, for alarms' names and sentences. */
const contents: Partial<Record<BusEventName, { name: string; noun: string }>> = {
  WebhookReceived: { name: "Webhooks", noun: "webhook" },
  SecurityEventNotRecorded: { name: "SecurityEvents", noun: "security event" },
};

/**
 * How long a queue's messages have waited. The age of the oldest message leaves out messages that were received three
 * times, so the queue of events that may fail for long is watched by the number of messages, also those in flight.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
const waitingIn = (event: BusEventName, queue: Queue): Pick<AlarmDefinition, "metric" | "atLeast" | "periods"> =>
  event === "SecurityEventNotRecorded"
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

const ofQueues = ({ queues }: Watched): AlarmDefinition[] =>
  [...queues].flatMap(([event, queue]) => {
    const { name, noun } = contents[event] ?? { name: event, noun: "message" };
    const deadLetters = queue.deadLetterQueue?.queue;
    return [
      { name: `${name}Waiting`, description: `A ${noun} has waited for 15 minutes`, ...waitingIn(event, queue) },
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

/**
 * Schedules that do not run. A metric of a function has no value while the function is not invoked, and an alarm on
 * missing values would be raised at the deployment. The mapping of the webhooks' queue polls all the time, so `polls` has
 * a value for every period since the deployment: times 0, it makes "not invoked" a 0. Before the deployment there is no
 * value at all, and missing values are not breaching: a new stack stays quiet until its schedules had time to run.
 */
const ofSchedules = (watched: Watched): AlarmDefinition[] => {
  const polled = watched.queues.get("WebhookReceived");
  if (polled === undefined) throw new Error("There is no queue of WebhookReceived.");
  const polls = (period: Duration): Metric => polled.metricApproximateNumberOfMessagesVisible({ period });
  const successes = (name: BackgroundFunctionName, period: Duration): IMetric => {
    const target: LambdaFunction = functionOf(watched, name);
    const invocations = target.metricInvocations({ period, statistic: "Sum" });
    const errors = target.metricErrors({ period, statistic: "Sum" });
    const usingMetrics = { polls: polls(period), invocations, errors };
    return new MathExpression({
      expression: "0 * polls + invocations - errors",
      usingMetrics,
      label: `Successful runs of ${name}`,
      period,
    });
  };
  const hour = Duration.hours(1);
  return [
    {
      name: "DetectionStopped",
      description: "dispatch-detection has not succeeded for two hours: it was not started, or each run failed",
      metric: successes("dispatch-detection", Duration.minutes(15)),
      below: 1,
      periods: 9,
    },
    {
      name: "SyncsStopped",
      description: "dispatch-syncs has not succeeded for two of its intervals: it was not started, or each run failed",
      metric: successes("dispatch-syncs", hour),
      below: 1,
      // An alarm looks back seven days at most:
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
      periods: Math.min(2 * watched.config.SYNC_INTERVAL_HOURS + 1, 7 * 24),
    },
    {
      name: "SchedulesStopped",
      description: `For three hours, not all of the hourly functions were started: ${hourly.join(", ")}`,
      metric: new MathExpression({
        expression: ["0 * polls", ...hourly.map((_name, index) => `(m${index} > 0)`)].join(" + "),
        usingMetrics: {
          polls: polls(hour),
          ...Object.fromEntries(
            hourly.map((name, index) => [`m${index}`, functionOf(watched, name).metricInvocations({ period: hour })]),
          ),
        },
        label: "Hourly functions that were started",
        period: hour,
      }),
      below: hourly.length,
      periods: 3,
    },
  ];
};

/** The tables with the most requests, in the table's order; an alarm has room for five. */
const ofStore = ({ tables }: Watched): AlarmDefinition[] => {
  const busiest = [tables.plants, tables.securityEvents, tables.securityRollups, tables.records, tables.webhookEvents];
  return [
    {
      name: "TablesThrottled",
      description: "For 15 minutes, DynamoDB throttled requests to the busiest tables",
      metric: sumOf({
        metrics: busiest.flatMap((table) =>
          ["ReadThrottleEvents", "WriteThrottleEvents"].map((name) =>
            table.metric(name, { statistic: "Sum", period: FIVE_MINUTES }),
          ),
        ),
        label: "Throttled requests",
      }),
      atLeast: 1,
      periods: 3,
    },
  ];
};

/**
 * Four fifths of the reads that each account has in a month: https://docs.stripe.com/rate-limits#api-read-request-allocations
 */
const READS_WARNING = 8_000;

/** What functions report themselves, with their log lines. */
const ofLogs = ({ config }: Watched): AlarmDefinition[] => [
  {
    name: "StoreFailing",
    description: "Within five minutes, five calls of DynamoDB failed after all retries",
    metric: loggedMetric(config, "StoreFailures", "Sum"),
    atLeast: 5,
    periods: 1,
  },
  {
    name: "ProviderReadsHigh",
    description: `An organization has used ${READS_WARNING} of the reads that the provider grants in a month`,
    metric: loggedMetric(config, "ProviderReads", "Maximum"),
    atLeast: READS_WARNING,
    periods: 1,
  },
  {
    name: "OperatorsNeeded",
    description: "A function logged a line with the field alarm, which names the problem",
    metric: loggedMetric(config, "OperatorAlarms", "Sum"),
    atLeast: 1,
    periods: 1,
  },
];

/** All alarms, in the order of their sections. */
export const alarmsOf = (watched: Watched): AlarmDefinition[] =>
  [ofRequests, ofWork, ofQueues, ofSchedules, ofStore, ofLogs].flatMap((group) => group(watched));
