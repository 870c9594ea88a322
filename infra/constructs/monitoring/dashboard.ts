import { Duration, Stack } from "aws-cdk-lib";
import {
  type Alarm,
  AlarmStatusWidget,
  AlarmWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import { ofWebhooks } from "./request-alarms.ts";
import { FIVE_MINUTES, loggedMetric, startedByEvents, type Watched } from "./watched.ts";

/** The alarms of one subject, in the order of their sections in docs/operations.md. */
export type AlarmGroup = { title: string; alarms: readonly Alarm[] };

/** A dashboard has 24 columns. */
const COLUMNS = 24;
const PER_ROW = 4;
const size = { width: COLUMNS / PER_ROW, height: 6 };

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []) =>
  new GraphWidget({
    ...size,
    title,
    left: [...left],
    right: [...right],
    leftYAxis: { min: 0 },
    rightYAxis: { min: 0 },
  });

/** Answers "is it well?": what is raised, what clients see, what the provider does, and what waits. */
const firstRow = (watched: Watched, groups: readonly AlarmGroup[]): IWidget[] => {
  const { api, config, queues, background } = watched;
  const sum = { statistic: "Sum", period: FIVE_MINUTES };
  const webhookFailures = ofWebhooks(watched, { url: "Url5xxCount", api: "5xx" }, "Sum");
  const oldest = { statistic: "Maximum", period: FIVE_MINUTES };
  return [
    new AlarmStatusWidget({ ...size, title: "Is it well?", alarms: groups.flatMap(({ alarms }) => [...alarms]) }),
    graph(
      "Requests, and failures (5xx)",
      [api.metricCount({ ...sum, label: "Requests" })],
      [
        api.metricServerError({ ...sum, label: "Failures of the API" }),
        ...webhookFailures.map((metric) => metric.with({ label: "Failures of the webhook URL" })),
      ],
    ),
    graph(
      "Provider: failures, and open circuits",
      [loggedMetric(config, "ProviderFailures", "Sum").with({ label: "Failed operations" })],
      [loggedMetric(config, "OpenCircuits", "Maximum").with({ label: "Open circuits" })],
    ),
    graph(
      "Oldest work: queues (seconds), events (milliseconds)",
      [...queues].map(([event, queue]) => queue.metricApproximateAgeOfOldestMessage({ ...oldest, label: event })),
      [...background]
        .filter(([name]) => startedByEvents.includes(name))
        .map(([name, target]) => target.metric("AsyncEventAge", { ...oldest, label: name })),
    ),
  ];
};

/** Graphs of a group in addition to those of its alarms. */
const details = (watched: Watched): Record<string, IWidget[]> => {
  const { api, background, queues, tables, config } = watched;
  const sum = { statistic: "Sum", period: FIVE_MINUTES };
  const functions = (metricName: string, period = FIVE_MINUTES) =>
    [...background].map(([name, target]) => target.metric(metricName, { statistic: "Sum", period, label: name }));
  const latency = (operation: string) =>
    tables.plants.metric("SuccessfulRequestLatency", {
      dimensionsMap: { TableName: tables.plants.tableName, Operation: operation },
      statistic: "p99",
      period: FIVE_MINUTES,
      label: operation,
    });
  return {
    "API and webhook URL": [
      graph("Latency of the API (ms)", [
        api.metricLatency({ statistic: "p50", period: FIVE_MINUTES, label: "p50" }),
        api.metricLatency({ statistic: "p99", period: FIVE_MINUTES, label: "p99" }),
      ]),
      graph(
        "Refusals",
        [api.metricClientError({ ...sum, label: "4xx" })],
        [loggedMetric(config, "RefusedTokens", "Sum").with({ label: "Refused tokens" })],
      ),
    ],
    "Background work": [
      graph("Failed invocations by function", functions("Errors")),
      graph("Throttled invocations by function", functions("Throttles")),
    ],
    Queues: [
      graph(
        "Messages in the queues",
        [...queues].flatMap(([event, queue]) => [
          queue.metricApproximateNumberOfMessagesVisible({ label: `${event}, waiting` }),
          queue.metricApproximateNumberOfMessagesNotVisible({ label: `${event}, in flight` }),
        ]),
      ),
    ],
    Schedules: [graph("Invocations in an hour by function", functions("Invocations", Duration.hours(1)))],
    Store: [graph("Latency of DynamoDB (ms, p99, plants)", ["PutItem", "Query", "DeleteItem"].map(latency))],
  };
};

const inRows = (widgets: readonly IWidget[]): IWidget[][] =>
  Array.from({ length: Math.ceil(widgets.length / PER_ROW) }, (_row, index) =>
    widgets.slice(index * PER_ROW, (index + 1) * PER_ROW),
  );

/**
 * The dashboard: one row that answers "is it well?", then rows for each group of alarms. The names of dashboards are global
 * in an account, so the name contains the region.
 */
export const addDashboard = (scope: Construct, watched: Watched, groups: readonly AlarmGroup[]): Dashboard => {
  const more = details(watched);
  const { stackName, region } = Stack.of(scope);
  return new Dashboard(scope, "Dashboard", {
    dashboardName: `${stackName}-${region}`,
    defaultInterval: Duration.hours(12),
    widgets: [
      firstRow(watched, groups),
      ...groups.flatMap(({ title, alarms }) => [
        [new TextWidget({ markdown: `## ${title}`, width: COLUMNS, height: 1 })],
        ...inRows([
          ...(more[title] ?? []),
          ...alarms.map((alarm) => new AlarmWidget({ ...size, title: alarm.node.id, alarm })),
        ]),
      ]),
    ],
  });
};
