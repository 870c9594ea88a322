import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { alarmsOf } from "./alarm-table.ts";
import type { Watched } from "./watched.ts";

/** The alarms of the service. docs/operations.md has a section for each. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    for (const { name, description, metric, atLeast, below, periods } of alarmsOf(watched)) {
      new Alarm(this, name, {
        alarmName: `${Stack.of(this).stackName}-${name}`,
        alarmDescription: `${description}. Runbook: docs/operations.md#${name.toLowerCase()}`,
        metric,
        threshold: atLeast ?? below ?? 0,
        evaluationPeriods: periods,
        comparisonOperator:
          below === undefined
            ? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
            : ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
    }
  }
}
