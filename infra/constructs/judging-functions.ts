import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { AccessTo } from "./access/access-to.ts";
import type { ServiceEventBus } from "./event-bus.ts";
import { runHourly, runOn, runOnEach } from "./schedules.ts";
import { ServiceFunction } from "./service-function.ts";

type Props = { access: AccessTo; events: Pick<ServiceEventBus, "bus"> };

/** As shared/detection/detection-due.ts fills events. */
const DUE_SLOTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** A missed hour is no alarm: the next one makes up for it. */
const SILENT_HOURS = 2;

/** Detection, reports and erasure: what works through an organization's data without anybody waiting. */
export class JudgingFunctions extends Construct {
  constructor(scope: Construct, id: string, { access, events: { bus } }: Props) {
    super(scope, id);

    const dispatchDetection = new ServiceFunction(this, "DispatchDetection", {
      file: "dispatch-detection",
      description: "Asks for detection in the hours that nobody has judged",
      access: access.dispatchDetection,
      timeout: Duration.minutes(15),
    });
    // When the events of the last hour have come to rest, and before they are counted up: what is judged by then needs
    // no mark that it waits.
    runHourly(dispatchDetection, 6);
    runOn(bus, "DetectionDispatchContinued", dispatchDetection);
    const hourly = { period: Duration.hours(1), statistic: "Sum" };
    new Alarm(this, "DetectionStoppedAlarm", {
      alarmDescription: "Detection has not been dispatched for two hours: it is not started, or fails each time",
      metric: new MathExpression({
        expression: "invocations - errors",
        usingMetrics: {
          invocations: dispatchDetection.function.metricInvocations(hourly),
          errors: dispatchDetection.function.metricErrors(hourly),
        },
        label: "Dispatches that did not fail",
        period: hourly.period,
      }),
      threshold: 1,
      evaluationPeriods: SILENT_HOURS,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      // No runs are no data.
      treatMissingData: TreatMissingData.BREACHING,
    });

    const detect = new ServiceFunction(this, "DetectOrganization", {
      file: "detect-organization",
      description: "Judges the hours of an organization",
      access: access.detect,
      timeout: Duration.minutes(5),
    });
    runOnEach(bus, "DetectionDue", DUE_SLOTS, detect);
    new Alarm(this, "DetectionFailedAlarm", {
      alarmDescription: "Hours were not judged: detect-organization fails",
      metric: detect.function.metricErrors({ period: Duration.minutes(15) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });

    const dispatchReports = new ServiceFunction(this, "DispatchReports", {
      file: "dispatch-reports",
      description: "Asks for the reports that are due",
      access: access.dispatchReports,
      timeout: Duration.minutes(15),
    });
    runHourly(dispatchReports, 31);
    const makeReports = new ServiceFunction(this, "MakeReports", {
      file: "make-reports",
      description: "Makes a report that is due",
      access: access.makeReports,
      timeout: Duration.minutes(5),
    });
    runOn(bus, "ReportDue", makeReports);

    const erase = new ServiceFunction(this, "RunErasure", {
      file: "run-erasure",
      description: "Works on erasures",
      access: access.erase,
      timeout: Duration.minutes(5),
    });
    runOn(bus, "ErasureRequested", erase);
    const resumeErasures = new ServiceFunction(this, "ResumeErasures", {
      file: "resume-erasures",
      description: "Has erasures gone on with that lost their worker",
      access: access.resumeErasures,
      timeout: Duration.minutes(5),
    });
    runHourly(resumeErasures, 36);
  }
}
