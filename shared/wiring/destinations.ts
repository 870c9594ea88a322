/** Destinations and deliveries in a deployed function. All throw Error at cold start if a variable is missing. */
import { createChangeDestination } from "../notifications/change-destination.ts";
import { createCreateDestination } from "../notifications/create-destination.ts";
import { createDeleteDestination } from "../notifications/delete-destination.ts";
import { createNotificationDeliveryStore } from "../notifications/delivery-store.ts";
import { createDestinationSecrets, newSigningSecret } from "../notifications/destination-secrets.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createEmailLinks } from "../notifications/email-link.ts";
import { createHandOver, type DeliveryQueue } from "../notifications/hand-over.ts";
import { createListDeliveries } from "../notifications/list-deliveries.ts";
import { createDestinationRecorder } from "../notifications/notification-events.ts";
import { createRetryDelivery, createTestDestination } from "../notifications/request-delivery.ts";
import { createOpenEmailLink, createUseEmailLink } from "../notifications/use-email-link.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createQueue, sqs } from "../runtime/queue.ts";
import { createSealing } from "../runtime/sealing.ts";
import { wireRecorder } from "./recorder.ts";

const tableName = () => readConfig(["NOTIFICATIONS_TABLE_NAME"]).NOTIFICATIONS_TABLE_NAME;

export const wireDestinationStore = () => createDestinationStore(documentClient, tableName());

const wireDeliveryStore = () => createNotificationDeliveryStore(documentClient, tableName());

const wireDeliveryQueue = (): DeliveryQueue =>
  createQueue(sqs, readConfig(["NOTIFICATIONS_QUEUE_URL"]).NOTIFICATIONS_QUEUE_URL);

const wireHandOver = () => createHandOver({ deliveries: wireDeliveryStore(), queue: wireDeliveryQueue() });

const wireEmailLinks = () => createEmailLinks(createSealing(readConfig(["CURSOR_KEY"]).CURSOR_KEY));

const wireDestinationRecorder = () =>
  createDestinationRecorder({ recorder: wireRecorder(), destinations: wireDestinationStore() });

const wireWriting = () => {
  const { EMAIL_SENDER, NOTIFICATION_TARGETS: policy } = readConfig(["EMAIL_SENDER", "NOTIFICATION_TARGETS"]);
  return {
    destinations: wireDestinationStore(),
    secrets: createDestinationSecrets(wireEnvelope()),
    links: wireEmailLinks(),
    handOver: wireHandOver(),
    recordChange: wireDestinationRecorder(),
    targetRules: (address: string) => ({ policy, ownHosts: [new URL(address).hostname] }),
    emailSender: EMAIL_SENDER,
    newSecret: () => newSigningSecret(),
    newToken: newRequestToken,
  };
};

export const wireCreateDestination = () => createCreateDestination(wireWriting());

export const wireChangeDestination = () => createChangeDestination({ ...wireWriting(), now: systemClock });

export const wireDeleteDestination = () =>
  createDeleteDestination({
    destinations: wireDestinationStore(),
    recordChange: wireDestinationRecorder(),
    now: systemClock,
  });

export const wireTestDestination = () =>
  createTestDestination({ destinations: wireDestinationStore(), handOver: wireHandOver() });

export const wireListDeliveries = () =>
  createListDeliveries({ destinations: wireDestinationStore(), deliveries: wireDeliveryStore(), now: systemClock });

export const wireRetryDelivery = () =>
  createRetryDelivery({
    destinations: wireDestinationStore(),
    deliveries: wireDeliveryStore(),
    queue: wireDeliveryQueue(),
    now: systemClock,
  });

const wireLinkUse = () => ({ links: wireEmailLinks(), destinations: wireDestinationStore(), now: systemClock });

export const wireOpenEmailLink = () => createOpenEmailLink(wireLinkUse());

export const wireUseEmailLink = () =>
  createUseEmailLink({ ...wireLinkUse(), recordChange: wireDestinationRecorder(), newToken: newRequestToken });
