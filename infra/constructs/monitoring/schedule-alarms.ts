import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { BackgroundFunctionName } from "../../../shared/api/background-functions.ts";
import {
  type AlarmDefinition,
  alarmsFor,
  functionOf,
  loggedMetric,
  MOST_METRICS,
  namesWith,
  pollsOf,
  sumOf,
  type Watched,
} from "./watched.ts";

/** Seven days. */
const MOST_HOURS = 168;

const hourlyNames = namesWith((trigger) => "hourlyAtMinute" in trigger);

/**
 * An alarm looks back seven days at most, which is too short for two long intervals. Then the hourly search says that an
 * occurrence of the schedule was lost; SchedulesStopped watches the search.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html
 */
const syncsStopped = ({ config }: Watched, successes: IMetric): AlarmDefinition => {
  const periods = 2 * config.SYNC_INTERVAL_HOURS + 1;
  return periods <= MOST_HOURS
    ? {
        name: "SyncsStopped",
        description:
          "dispatch-syncs has not succeeded for two of its intervals: it was not started, or each run failed",
        metric: successes,
        below: 1,
        periods,
      }
    : {
        name: "SyncsStopped",
        description: "An occurrence of dispatch-syncs was lost: it was not started, or each run failed",
        metric: loggedMetric(config, "LostSyncOccurrences", "Sum"),
        atLeast: 1,
        periods: 1,
      };
};

/** With the polls, as many as an alarm can watch. */
const FUNCTIONS_PER_ALARM = MOST_METRICS - 1;

const schedulesStopped = (watched: Watched, hour: Duration): AlarmDefinition[] => {
  const hourly = hourlyNames.filter((name) => watched.background.has(name));
  return alarmsFor("SchedulesStopped", hourly, FUNCTIONS_PER_ALARM).map(({ name, things: names }) => ({
    name,
    description: `For three hours, not all of the hourly functions were started: ${names.join(", ")}`,
    metric: sumOf({
      term: "($ > 0)",
      metrics: names.map((one) => functionOf(watched, one).metricInvocations({ period: hour })),
      label: "Hourly functions that were started",
      period: hour,
      polls: pollsOf(watched, hour),
    }),
    below: names.length,
    periods: 3,
  }));
};

/**
 * Schedules that do not run. A metric of a function has no value while the function is not invoked, and an alarm on
 * missing values would be raised at the deployment. `polls` (pollsOf) makes "not invoked" a 0. Before the deployment there is
 * no value at all, and missing values are not breaching: a new stack stays quiet until its schedules had time to run.
 */
export const scheduleAlarms = (watched: Watched): AlarmDefinition[] => {
  const successes = (name: BackgroundFunctionName, period: Duration): IMetric => {
    const target = functionOf(watched, name);
    const invocations = target.metricInvocations({ period, statistic: "Sum" });
    const errors = target.metricErrors({ period, statistic: "Sum" });
    const usingMetrics = { polls: pollsOf(watched, period), invocations, errors };
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
    syncsStopped(watched, successes("dispatch-syncs", hour)),
    ...schedulesStopped(watched, hour),
  ];
};
