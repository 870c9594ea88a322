import type { Activity } from "./core/activity.ts";
import type { Clock } from "./core/clock.ts";
import type { StackModel } from "./core/model.ts";
import { createDeliver, type Deliver } from "./events/deliver.ts";
import { createEventBuses, type EventBuses } from "./events/event-buses.ts";
import { createSend } from "./events/send-to-target.ts";
import { createEventsService } from "./gateway/events-service.ts";
import type { Denial } from "./gateway/gateway.ts";
import type { AwsService } from "./gateway/service.ts";
import { createSqsService } from "./gateway/sqs-service.ts";
import type { Authorizer } from "./iam/authorizer.ts";
import { asynchronousInvocationOf, createHandOver } from "./lambda/destinations.ts";
import type { Functions } from "./lambda/functions.ts";
import { createAsyncInvoker, type InvokeAsynchronously } from "./lambda/invoke-asynchronously.ts";
import { createEventSourceMappings, type EventSourceMappings } from "./queues/event-source-mappings.ts";
import { openQueues, type Queues } from "./queues/queues.ts";

/** Buses, queues and asynchronous invocations, which hand work to one another. */
export type Messaging = {
  buses: EventBuses;
  queues: Queues;
  deliver: Deliver;
  mappings: EventSourceMappings;
  /** For the gateway. */
  services: Record<string, AwsService>;
};

/**
 * Ties buses, rules, queues, mappings and destinations together.
 * @throws TemplateError for a mapping whose function may not receive from its queue.
 */
export const createMessaging = (options: {
  model: StackModel;
  authorizer: Authorizer;
  functions: Pick<Functions, "invoke">;
  activity: Activity;
  clock: Clock;
  dataDirectory: string;
  gatewayUrl: string;
  onDenied: (denial: Denial) => void;
  log: (line: string) => void;
  stopping: AbortSignal;
}): Messaging => {
  const { model, authorizer, functions, activity, clock, gatewayUrl, onDenied, log, stopping } = options;
  const queues = openQueues({ queues: model.queues, dataDirectory: options.dataDirectory, clock });
  // Each of these leads to the next and back: events to functions, what becomes of functions to events.
  const deliver: Deliver = (...args) => deliverToTargets(...args);
  const buses = createEventBuses({ model, clock, deliver, log });
  const invoke = (functionArn: string, payload: string) =>
    void invokeAsynchronously(functionArn, payload).then((result) => {
      if (!result.ok && result.reason === "refused")
        log(`LOST a record for ${functionArn}: ${result.error.errorMessage}`);
    });
  const handOver = createHandOver({ model, authorizer, queues, buses, invoke, clock, onDenied, log });
  const invokeAsynchronously: InvokeAsynchronously = createAsyncInvoker({
    functions,
    activity,
    clock,
    configurationOf: (functionArn) => asynchronousInvocationOf(model, functionArn),
    handOver,
    log,
    stopping,
  });
  const target = createSend({ authorizer, invokeAsynchronously, queues });
  const deliverToTargets = createDeliver({ ...target, activity, clock, log, stopping });
  return {
    buses,
    queues,
    deliver,
    mappings: createEventSourceMappings(model.eventSourceMappings, authorizer, {
      queues,
      functions,
      activity,
      clock,
      log,
    }),
    services: {
      events: createEventsService({ model, buses }),
      sqs: createSqsService({ model, queues, gatewayUrl }),
    },
  };
};
