import { EventBus, EventField, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import {
  ConfigurationSet,
  ConfigurationSetEventDestination,
  EmailSendingEvent,
  EventDestination,
  SuppressionReasons,
} from "aws-cdk-lib/aws-ses";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { backgroundFunctions } from "../../shared/api/background-functions.ts";
import { queues } from "../../shared/api/queues.ts";
import { addQueue, queueTarget } from "./add-queue.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";

/** Three minutes apart: applying goes on for five hours, so that it outlasts an outage of the store. */
const APPLY_RECEIVES = 100;

/**
 * The fields of an event that the queue keeps. Not the others: the headers of the mail contain keys of links. A transformer
 * cannot leave out a field that an event lacks, so each type of event has a rule of its own.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
const fieldsOf: Record<(typeof queues.MailFeedback.awsEvents.types)[number], Record<string, string>> = {
  "Email Bounced": { at: "$.detail.bounce.timestamp", bounceType: "$.detail.bounce.bounceType" },
  "Email Complaint Received": { at: "$.detail.complaint.timestamp" },
};

/**
 * Bounces and complaints of mails: the configuration set that mails are sent with publishes them to the account's default
 * bus, the only one that SES supports, and a queue keeps them for functions/notifications/apply-mail-feedback.ts.
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_EventBridgeDestination.html
 */
export class MailEvents extends Construct {
  /** The name of the configuration set. */
  readonly configurationSet: string;
  readonly queue: Queue;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "isProtected" | "emailConfigurationSet">) {
    super(scope, id);
    const { emailConfigurationSet: name } = config;
    const configurationSet =
      name === undefined
        ? new ConfigurationSet(this, "Set", {
            reputationMetrics: false,
            suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
          })
        : ConfigurationSet.fromConfigurationSetName(this, "Set", name);
    this.configurationSet = configurationSet.configurationSetName;
    const bus = EventBus.fromEventBusName(this, "DefaultBus", "default");
    new ConfigurationSetEventDestination(this, "Destination", {
      configurationSet,
      destination: EventDestination.eventBus(bus),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
    const feedback = addQueue(this, {
      config,
      workSeconds: backgroundFunctions["apply-mail-feedback"].timeoutSeconds,
      ids: { queue: "Feedback", deadLetters: "FeedbackDeadLetters" },
      maxReceives: APPLY_RECEIVES,
      contents: "Keeps the bounces and complaints that could not be applied, until they are replayed",
    });
    this.queue = feedback.queue;
    const { source, types } = queues.MailFeedback.awsEvents;
    for (const type of types) {
      const paths = { tags: "$.detail.mail.tags", recipients: "$.detail.mail.destination", ...fieldsOf[type] };
      const detail = Object.entries(paths).map(([field, path]) => [field, EventField.fromPath(path)]);
      new Rule(this, `On${type.replaceAll(" ", "")}`, {
        description: `Queues "${type}" of the mails of this deployment`,
        eventPattern: {
          source: [source],
          detailType: [type],
          detail: { mail: { tags: { "ses:configuration-set": [this.configurationSet] } } },
        },
        targets: [
          queueTarget(
            feedback,
            RuleTargetInput.fromObject({
              source: EventField.source,
              "detail-type": EventField.detailType,
              detail: Object.fromEntries(detail),
            }),
          ),
        ],
      });
    }
  }
}
