import { Duration } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Rule } from "aws-cdk-lib/aws-events";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import {
  allBackgroundFunctions,
  type BackgroundFunctionName,
  type Trigger,
} from "../../../shared/api/background-functions.ts";
import type { QueueName } from "../../../shared/api/queues.ts";
import { type MetricName, metricNamespaceOf } from "../../../shared/terms/metrics.ts";
import type { DeploymentConfig } from "../resources/deployment-config.ts";
import type { Tables } from "../resources/tables.ts";

/** What alarms and the dashboard watch. */
export type Watched = {
  config: Pick<DeploymentConfig, "stage" | "SYNC_INTERVAL_HOURS" | "webhookEntrance" | "emailSender">;
  api: HttpApi;
  /** The function behind the address of webhooks, and the address's HTTP API unless it is only a function URL. */
  webhooks: { receive: LambdaFunction; api: HttpApi | undefined };
  /** Without the functions that the deployment's settings leave out. */
  background: ReadonlyMap<BackgroundFunctionName, LambdaFunction>;
  queues: ReadonlyMap<QueueName, Queue>;
  /** The rules of the bus that start background functions. Of an event in parts, the rule of the first one. */
  rules: ReadonlyMap<BackgroundFunctionName, readonly Rule[]>;
  tables: Tables;
  /** Undefined without backups. */
  backupVaultName: string | undefined;
};

/** A row of the table of alarms (alarm-table.ts). */
export type AlarmDefinition = {
  /** The alarm's name after the stack's name, and the heading of its section, which has no number at its end. */
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

export const FIVE_MINUTES = Duration.minutes(5);

/** A metric that functions write with their log lines. */
export const loggedMetric = ({ stage }: Pick<DeploymentConfig, "stage">, metricName: MetricName, statistic: string) =>
  new Metric({ namespace: metricNamespaceOf(stage), metricName, statistic, period: FIVE_MINUTES });

/** The function of a name. @throws Error if the stack has no such function. */
export const functionOf = ({ background }: Pick<Watched, "background">, name: BackgroundFunctionName) => {
  const found = background.get(name);
  if (found === undefined) throw new Error(`The stack has no function ${name}.`);
  return found;
};

/** "The maximum number of metrics in an alarm": https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html */
export const MOST_METRICS = 10;

/**
 * A metric with a value for every period since the deployment, because the mapping of the webhooks' queue polls all the
 * time. Times 0, it makes "no value" a 0 in a sum.
 */
export const pollsOf = ({ queues }: Pick<Watched, "queues">, period: Duration): Metric => {
  const polled = queues.get("WebhookReceived");
  if (polled === undefined) throw new Error("There is no queue of WebhookReceived.");
  return polled.metricApproximateNumberOfMessagesVisible({ period });
};

type Expression = {
  /** `$` stands for the name of each metric; the terms are added. A missing value counts as 0 in such a sum. */
  term?: string;
  metrics: readonly IMetric[];
  label: string;
  period?: Duration;
  /** Counts nothing, but lets the sum have a value when no metric has one (pollsOf). */
  polls?: Metric;
  /** Metrics of failures of which one suffices to raise an alarm at three. */
  triple?: readonly IMetric[];
};

/**
 * The sum of a term over several metrics, such as `(m0 > 0) + (m1 > 0)`.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html#metric-math-syntax-arithmetic
 * @throws Error if an alarm cannot watch this many metrics.
 */
export const sumOf = (options: Expression): IMetric => {
  const { term = "$", metrics, label, period = FIVE_MINUTES, polls, triple = [] } = options;
  const named = [
    ...(polls === undefined ? [] : [{ name: "polls", metric: polls, term: "0 * $" }]),
    ...[...metrics, ...triple].map((metric, index) => ({
      name: `m${index}`,
      metric,
      term: index < metrics.length ? term : "3 * $",
    })),
  ];
  if (named.length > MOST_METRICS) throw new Error(`${label}: an alarm watches at most ${MOST_METRICS} metrics.`);
  return new MathExpression({
    expression: named.map((one) => one.term.replace("$", one.name)).join(" + "),
    usingMetrics: Object.fromEntries(named.map(({ name, metric }) => [name, metric])),
    label,
    period,
  });
};

type InParts = Omit<Expression, "polls" | "triple"> & Omit<AlarmDefinition, "metric">;

/** The names of as many alarms as things need, `FunctionsThrottled`, `FunctionsThrottled2`, …, with the things of each. */
export const alarmsFor = <Thing>(name: string, things: readonly Thing[], thingsPerAlarm = MOST_METRICS) =>
  Array.from({ length: Math.ceil(things.length / thingsPerAlarm) }, (_, part) => ({
    name: part === 0 ? name : `${name}${part + 1}`,
    things: things.slice(part * thingsPerAlarm, (part + 1) * thingsPerAlarm),
  }));

/**
 * As many alarms of the same meaning as the metrics need. They share a section of the runbook. Each counts its own metrics,
 * so the threshold should be 1.
 */
export const inParts = ({ term, metrics, label, period, name, ...alarm }: InParts): AlarmDefinition[] =>
  alarmsFor(name, metrics).map((part) => ({
    ...alarm,
    name: part.name,
    metric: sumOf({
      metrics: part.things,
      label,
      ...(term !== undefined && { term }),
      ...(period !== undefined && { period }),
    }),
  }));

/** The section of the runbook about an alarm. */
export const sectionOf = ({ name }: Pick<AlarmDefinition, "name">): string => name.replace(/\d+$/, "").toLowerCase();

/** The background functions with a trigger of a kind. */
export const namesWith = (matches: (trigger: Trigger) => boolean): BackgroundFunctionName[] =>
  allBackgroundFunctions.filter(([, { triggers }]) => triggers.some(matches)).map(([name]) => name);

export const isSchedule = (trigger: Trigger): boolean =>
  "hourlyAtMinute" in trigger || "everyMinutes" in trigger || "everyHours" in trigger;

/** Lambda queues their events, repeats failed ones twice, and then drops them. */
export const startedByEvents = namesWith((trigger) => "event" in trigger);
