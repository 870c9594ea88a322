import { CfnOutput, Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { FunctionUrlAuthType } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { AccessTo } from "./access/access-to.ts";
import type { ServiceEventBus } from "./event-bus.ts";
import { runHourly } from "./schedules.ts";
import { ServiceFunction } from "./service-function.ts";

type Props = { access: AccessTo; events: Pick<ServiceEventBus, "bus"> };

/** The longest that a queue can keep a message. */
const KEPT_FOR = Duration.days(14);
const PROCESSING_TIMEOUT = Duration.minutes(1);
/** Then somebody has to look: docs/webhooks.md, "Nothing is lost". */
const MAX_RECEIVES = 5;

const sealedQueue = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: KEPT_FOR } as const;

/** The provider's webhooks: the URL that takes them, the queue behind it, and who works on that. docs/webhooks.md. */
export class WebhookFunctions extends Construct {
  /** The base of the URL, with a slash at its end; an organization is named behind it. */
  readonly url: string;

  constructor(scope: Construct, id: string, { access, events }: Props) {
    super(scope, id);

    const receive = new ServiceFunction(this, "ReceiveWebhook", {
      file: "receive-webhook",
      description: "POST {webhook URL}/{organizationId}",
      access: access.receiveWebhooks,
    });
    // The signature is the authentication: the provider knows no other.
    this.url = receive.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    new CfnOutput(this, "Url", { value: this.url, description: "Where the provider sends webhooks, + organization" });

    const deadLetters = new Queue(this, "DeadLetters", sealedQueue);
    new CfnOutput(this, "DeadLettersArn", {
      value: deadLetters.queueArn,
      description: "Keeps the webhooks that could not be applied, until they are replayed",
    });
    const received = new Queue(this, "Received", {
      ...sealedQueue,
      visibilityTimeout: Duration.minutes(6 * PROCESSING_TIMEOUT.toMinutes()),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
    new Rule(this, "OnWebhookReceived", {
      eventBus: events.bus,
      description: "Queues what webhooks brought",
      eventPattern: { source: ["integration-security"], detailType: ["WebhookReceived"] },
      targets: [new SqsQueue(received)],
    });
    const process = new ServiceFunction(this, "ProcessWebhook", {
      file: "process-webhook",
      description: "Applies what webhooks brought",
      access: access.processWebhooks,
      timeout: PROCESSING_TIMEOUT,
    });
    process.function.addEventSource(new SqsEventSource(received, { batchSize: 5, reportBatchItemFailures: true }));
    new Alarm(this, "DeadLettersAlarm", {
      alarmDescription: "A webhook could not be applied: docs/webhooks.md tells how to look and to replay",
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(5) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });

    const handOver = new ServiceFunction(this, "HandOverWebhooks", {
      file: "hand-over-webhooks",
      description: "Hands over webhooks that nobody is known to have handed over",
      access: access.handOverWebhooks,
      timeout: Duration.minutes(5),
    });
    runHourly(handOver, 26);
  }
}
