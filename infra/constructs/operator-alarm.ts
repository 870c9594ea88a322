import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";

/** Counts the log lines of all functions that have a field `alarm`, which names the problem. */
export const OPERATOR_ALARMS = { metricNamespace: "PlantStore", metricName: "OperatorAlarms" } as const;

/** Raised when any function logs a line with the field `alarm`, such as for a lost event. */
export class OperatorAlarm extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { metricNamespace: namespace, metricName } = OPERATOR_ALARMS;
    new Alarm(this, "Alarm", {
      alarmDescription: "A function needs its operators: look for log lines with the field alarm",
      metric: new Metric({ namespace, metricName, statistic: "Sum", period: Duration.minutes(1) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
