/** Every queue that feeds a function. background-functions.ts lists the functions. */
import type { BusEventName } from "./bus-events.ts";

type QueueKind = {
  /** The bus events that a rule puts into the queue. Functions fill a queue without events. */
  events: readonly BusEventName[];
};

export const queues = {
  SecurityEventNotRecorded: { events: ["SecurityEventNotRecorded"] },
  WebhookReceived: { events: ["WebhookReceived"] },
  AlertsToNotify: { events: ["SecurityAlertChanged", "ReportMade"] },
  NotificationsToSend: { events: [] },
} as const satisfies Record<string, QueueKind>;

export type QueueName = keyof typeof queues;

/** The bus events that fill a queue. */
export const eventsOf = (name: QueueName): readonly BusEventName[] => queues[name].events;
