import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { backgroundFunctions } from "../../shared/api/background-functions.ts";
import { type BusEventName, EVENT_SOURCE } from "../../shared/api/bus-events.ts";
import { addQueue, queueTarget } from "./add-queue.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";

/** Three minutes apart: restoring goes on for ten hours, so that it outlasts an outage of the store. */
const RESTORE_RECEIVES = 200;

/** The pattern of a rule that matches the service's events of some types. */
export const patternOf = (...events: readonly BusEventName[]) => ({ source: [EVENT_SOURCE], detailType: [...events] });

/**
 * The service's event bus, to which subscribers attach rules, and the queue of security events that could not be
 * recorded. Functions publish such events on the bus, and a rule queues them, so functions need no SQS client.
 */
export class ServiceEventBus extends Construct {
  readonly bus: EventBus;
  /** Keeps events for functions/security/restore-security-events.ts. */
  readonly unrecorded: Queue;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "isProtected">) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", {
      description: "Events of the service, and changes of alerts and circuits for subscribers",
    });
    const unrecorded = addQueue(this, {
      config,
      workSeconds: backgroundFunctions["restore-security-events"].timeoutSeconds,
      ids: { queue: "UnrecordedSecurityEvents", deadLetters: "UnrecordedDeadLetters" },
      maxReceives: RESTORE_RECEIVES,
      contents: "Keeps the security events that could not be restored, until they are replayed",
    });
    this.unrecorded = unrecorded.queue;
    new Rule(this, "UnrecordedSecurityEventsRule", {
      eventBus: this.bus,
      description: "Keeps security events that could not be recorded",
      eventPattern: patternOf("SecurityEventNotRecorded"),
      targets: [queueTarget(unrecorded)],
    });
  }
}
