import { CfnOutput, Duration } from "aws-cdk-lib";
import type { RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import { removalPolicyOf } from "./resources/removal-policy.ts";

/** Every queue of the stack: encrypted, by TLS only, and with SQS's maximum retention of a message. */
const sealed = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  retentionPeriod: Duration.days(14),
} as const satisfies QueueProps;

type Props = {
  config: Pick<DeploymentConfig, "isProtected">;
  /** The time-out of the function that works on the queue. */
  workSeconds: number;
  /** The ids of the two queues. The dead-letter queue's id also begins the id of its output. */
  ids: { queue: string; deadLetters: string };
  /**
   * How often a message is received before it becomes a dead letter. A receive that Lambda throttles counts, so AWS
   * recommends 5 at least: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
   */
  maxReceives: number;
  /** What the dead letters are, for the output. */
  contents: string;
};

/**
 * A queue that feeds a function, and its dead-letter queue with an output to redrive it.
 * Visibility time-out: six times the function's time-out, so that Lambda can repeat a throttled invocation (same page).
 */
export const addQueue = (scope: Construct, props: Props): { queue: Queue; deadLetters: Queue } => {
  const { config, workSeconds, ids, maxReceives, contents } = props;
  // Messages are evidence: events and webhooks that are stored nowhere else.
  const kept = { ...sealed, removalPolicy: removalPolicyOf(config) };
  const deadLetters = new Queue(scope, ids.deadLetters, kept);
  new CfnOutput(scope, `${ids.deadLetters}Arn`, { value: deadLetters.queueArn, description: contents });
  const queue = new Queue(scope, ids.queue, {
    ...kept,
    visibilityTimeout: Duration.seconds(6 * workSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: maxReceives },
  });
  return { queue, deadLetters };
};

/**
 * The target of a rule that fills a queue. EventBridge tries for 24 hours to deliver an event; then the dead-letter queue
 * keeps it. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 * @param message what the queue gets; the whole event by default.
 */
export const queueTarget = ({ queue, deadLetters }: ReturnType<typeof addQueue>, message?: RuleTargetInput): SqsQueue =>
  new SqsQueue(queue, { deadLetterQueue: deadLetters, ...(message !== undefined && { message }) });
