import { CfnOutput, Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { FunctionUrlAuthType } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { AccessTo } from "./access/access-to.ts";
import { patternOf, type ServiceEventBus, visibilityTimeoutFor } from "./event-bus.ts";
import { ServiceFunction } from "./service-function.ts";

type Props = { access: AccessTo; events: Pick<ServiceEventBus, "bus"> };

/** SQS's maximum retention of a message. */
const KEPT_FOR = Duration.days(14);
/** A message that fails this often moves to the dead-letter queue: docs/webhooks.md, "Nothing is lost". */
const MAX_RECEIVES = 5;

const sealedQueue = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: KEPT_FOR } as const;

/** Receives the provider's webhooks: the URL, its function and the queue of received events. docs/webhooks.md. */
export class WebhookEntrance extends Construct {
  /** The base URL with a slash at its end, to which the organization is appended. */
  readonly url: string;
  /** Keeps events for functions/webhooks/process-webhook.ts. */
  readonly received: Queue;

  constructor(scope: Construct, id: string, { access, events }: Props) {
    super(scope, id);

    const receive = new ServiceFunction(this, "ReceiveWebhook", {
      file: "receive-webhook",
      description: "POST {webhook URL}/{organizationId}",
      access: access.receiveWebhooks,
    });
    // The signature authenticates the provider, which supports no other authentication.
    this.url = receive.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    new CfnOutput(this, "Url", { value: this.url, description: "The base URL of webhooks; append the organization" });

    const deadLetters = new Queue(this, "DeadLetters", sealedQueue);
    new CfnOutput(this, "DeadLettersArn", {
      value: deadLetters.queueArn,
      description: "Keeps the webhooks that could not be applied, until they are replayed",
    });
    this.received = new Queue(this, "Received", {
      ...sealedQueue,
      visibilityTimeout: visibilityTimeoutFor("process-webhook"),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
    new Rule(this, "OnWebhookReceived", {
      eventBus: events.bus,
      description: "Queues the events of webhooks",
      eventPattern: patternOf("WebhookReceived"),
      targets: [new SqsQueue(this.received)],
    });
    new Alarm(this, "DeadLettersAlarm", {
      alarmDescription: "A webhook could not be applied: docs/webhooks.md describes how to inspect and replay it",
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
