import { type EventBus, Rule } from "aws-cdk-lib/aws-events";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { backgroundFunctions } from "../../shared/api/background-functions.ts";
import { eventsOf } from "../../shared/api/queues.ts";
import { addQueue, queueTarget } from "./add-queue.ts";
import { patternOf } from "./event-bus.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";

/** Three minutes apart: dispatching goes on for five hours, so that it outlasts an outage of the store. */
const DISPATCH_RECEIVES = 100;

/** Waiting for the time of a summary and every try to send count as receives: docs/notifications.md. */
const SEND_RECEIVES = 100;

type Props = { bus: EventBus; config: Pick<DeploymentConfig, "isProtected"> };

/** The queues of notifications: changes of alerts to dispatch, and deliveries to send. docs/notifications.md. */
export class NotificationQueues extends Construct {
  /** Keeps events for functions/notifications/dispatch-notifications.ts. */
  readonly toNotify: Queue;
  /** Keeps the deliveries that functions have made. */
  readonly toSend: Queue;

  constructor(scope: Construct, id: string, { bus, config }: Props) {
    super(scope, id);
    const toNotify = addQueue(this, {
      config,
      workSeconds: backgroundFunctions["dispatch-notifications"].timeoutSeconds,
      ids: { queue: "ToNotify", deadLetters: "ToNotifyDeadLetters" },
      maxReceives: DISPATCH_RECEIVES,
      contents: "Keeps the changes of alerts and the reports that could not be dispatched, until they are replayed",
    });
    this.toNotify = toNotify.queue;
    new Rule(this, "OnNotifiable", {
      eventBus: bus,
      description: "Queues changes of alerts and new reports",
      eventPattern: patternOf(...eventsOf("AlertsToNotify")),
      targets: [queueTarget(toNotify)],
    });
    this.toSend = addQueue(this, {
      config,
      workSeconds: backgroundFunctions["send-notifications"].timeoutSeconds,
      ids: { queue: "ToSend", deadLetters: "ToSendDeadLetters" },
      maxReceives: SEND_RECEIVES,
      contents: "Keeps the deliveries that could not be sent or recorded, until they are replayed",
    }).queue;
  }
}
