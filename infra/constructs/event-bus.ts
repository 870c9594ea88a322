import { Duration, Validations } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type BackgroundFunctionName, backgroundFunctions } from "../../shared/api/background-functions.ts";
import { type BusEventName, EVENT_SOURCE } from "../../shared/api/bus-events.ts";

/** SQS's maximum retention of a message. */
const KEPT_FOR = Duration.days(14);

/** The pattern of a rule that matches the service's events of a type. */
export const patternOf = (event: BusEventName) => ({ source: [EVENT_SOURCE], detailType: [event] });

/** The visibility time-out of a function's queue: six times the function's time-out, as Lambda requires. */
export const visibilityTimeoutFor = (consumer: BackgroundFunctionName): Duration =>
  Duration.seconds(6 * backgroundFunctions[consumer].timeoutSeconds);

/**
 * The service's event bus, to which subscribers attach rules, and the queue of security events that could not be
 * recorded. Functions publish such events on the bus, and a rule queues them, so functions need no SQS client.
 */
export class ServiceEventBus extends Construct {
  readonly bus: EventBus;
  /** Keeps events for functions/security/restore-security-events.ts. */
  readonly unrecorded: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", {
      description: "Events of the service, and changes of alerts and circuits for subscribers",
    });
    this.unrecorded = new Queue(this, "UnrecordedSecurityEvents", {
      retentionPeriod: KEPT_FOR,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: visibilityTimeoutFor("restore-security-events"),
    });
    Validations.of(this.unrecorded).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "It is a dead-letter queue itself: what cannot be restored stays, and its age raises the alarm.",
    });
    new Rule(this, "UnrecordedSecurityEventsRule", {
      eventBus: this.bus,
      description: "Keeps security events that could not be recorded",
      eventPattern: patternOf("SecurityEventNotRecorded"),
      targets: [new SqsQueue(this.unrecorded)],
    });
    new Alarm(this, "UnrecordedSecurityEventsAlarm", {
      alarmDescription: "Security events have waited to be recorded for more than 15 minutes",
      metric: this.unrecorded.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5) }),
      threshold: Duration.minutes(15).toSeconds(),
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
