/** Every queue that feeds a function. background-functions.ts lists the functions. */
import type { BusEventName } from "./bus-events.ts";

type QueueKind = {
  /** The bus events that a rule puts into the queue. Functions fill a queue without events. */
  events: readonly BusEventName[];
  /** Events of AWS on the account's default bus that rules put into the queue. */
  awsEvents?: { source: string; types: readonly string[] };
};

export const queues = {
  SecurityEventNotRecorded: { events: ["SecurityEventNotRecorded"] },
  WebhookReceived: { events: ["WebhookReceived"] },
  AlertsToNotify: { events: ["SecurityAlertChanged", "ReportMade", "EscalationDue"] },
  NotificationsToSend: { events: [] },
  /** https://docs.aws.amazon.com/eventbridge/latest/ref/events-ref-ses.html */
  MailFeedback: {
    events: [],
    awsEvents: { source: "aws.ses", types: ["Email Bounced", "Email Complaint Received"] },
  },
} as const satisfies Record<string, QueueKind>;

export type QueueName = keyof typeof queues;

/** The bus events that fill a queue. */
export const eventsOf = (name: QueueName): readonly BusEventName[] => queues[name].events;

/** The events of AWS that fill a queue, as `source/detail-type`. */
export const awsEventsOf = (name: QueueName): readonly string[] => {
  const { awsEvents }: QueueKind = queues[name];
  return awsEvents?.types.map((type) => `${awsEvents.source}/${type}`) ?? [];
};
