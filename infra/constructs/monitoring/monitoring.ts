import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { alarmGroups } from "./alarm-table.ts";
import { addDashboard } from "./dashboard.ts";
import { type AlarmDefinition, sectionOf, type Watched } from "./watched.ts";

/** The alarms and the dashboard of the service. docs/operations.md has a section for each alarm. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: Watched) {
    super(scope, id);
    const groups = alarmGroups(watched).map(({ title, alarms }) => ({
      title,
      alarms: alarms.map((definition) => this.addAlarm(definition)),
    }));
    addDashboard(this, watched, groups);
  }

  private addAlarm(definition: AlarmDefinition): Alarm {
    const { name, description, metric, atLeast, below, periods } = definition;
    return new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `${description}. Runbook: docs/operations.md#${sectionOf(definition)}`,
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
