import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, type Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { BackgroundFunctionName } from "../../../shared/api/background-functions.ts";
import { type AlarmDefinition, functionOf, namesWith, type Watched } from "./watched.ts";

const hourlyNames = namesWith((trigger) => "hourlyAtMinute" in trigger);

/**
 * Schedules that do not run. A metric of a function has no value while the function is not invoked, and an alarm on
 * missing values would be raised at the deployment. The mapping of the webhooks' queue polls all the time, so `polls` has
 * a value for every period since the deployment: times 0, it makes "not invoked" a 0. Before the deployment there is no
 * value at all, and missing values are not breaching: a new stack stays quiet until its schedules had time to run.
 */
export const scheduleAlarms = (watched: Watched): AlarmDefinition[] => {
  const polled = watched.queues.get("WebhookReceived");
  if (polled === undefined) throw new Error("There is no queue of WebhookReceived.");
  const polls = (period: Duration): Metric => polled.metricApproximateNumberOfMessagesVisible({ period });
  const successes = (name: BackgroundFunctionName, period: Duration): IMetric => {
    const target = functionOf(watched, name);
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
  const hourly = hourlyNames.filter((name) => watched.background.has(name));
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
