import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type BusEventName, EVENT_SOURCE } from "../../shared/api/bus-events.ts";
import { addQueue } from "./add-queue.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";

/** Three minutes apart: restoring goes on for ten hours, so that it outlasts an outage of the store. */
const RESTORE_RECEIVES = 200;

/** The pattern of a rule that matches the service's events of a type. */
export const patternOf = (event: BusEventName) => ({ source: [EVENT_SOURCE], detailType: [event] });

/**
 * The service's event bus, to which subscribers attach rules, and the queue of security events that could not be
 * recorded. Functions publish such events on the bus, and a rule queues them, so functions need no SQS client.
 */
export class ServiceEventBus extends Construct {
  readonly bus: EventBus;
  /** Keeps events for functions/security/restore-security-events.ts. */
  readonly unrecorded: Queue;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "stage">) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", {
      description: "Events of the service, and changes of alerts and circuits for subscribers",
    });
    this.unrecorded = addQueue(this, {
      config,
      consumer: "restore-security-events",
      ids: { queue: "UnrecordedSecurityEvents", deadLetters: "UnrecordedDeadLetters" },
      maxReceives: RESTORE_RECEIVES,
      contents: "Keeps the security events that could not be restored, until they are replayed",
      alarmDescription:
        "A security event could not be restored: docs/security-events.md describes how to inspect and replay it",
    });
    new Rule(this, "UnrecordedSecurityEventsRule", {
      eventBus: this.bus,
      description: "Keeps security events that could not be recorded",
      eventPattern: patternOf("SecurityEventNotRecorded"),
      targets: [new SqsQueue(this.unrecorded)],
    });
    const period = Duration.minutes(5);
    new Alarm(this, "UnrecordedSecurityEventsAlarm", {
      alarmDescription: "Security events have waited to be recorded for 15 minutes",
      // Not the age of the oldest message: SQS leaves out messages that were received three times, which are those that
      // cannot be restored. A message that fails is in flight until it is visible again, so both are counted.
      // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
      metric: new MathExpression({
        expression: "visible + inFlight",
        usingMetrics: {
          visible: this.unrecorded.metricApproximateNumberOfMessagesVisible({ period }),
          inFlight: this.unrecorded.metricApproximateNumberOfMessagesNotVisible({ period }),
        },
        label: "Security events that wait to be recorded",
        period,
      }),
      threshold: 1,
      evaluationPeriods: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
