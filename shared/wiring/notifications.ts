/** Notifications in a deployed function. All throw Error at cold start if the environment lacks a variable. */

import { createApplyMailFeedback } from "../notifications/apply-mail-feedback.ts";
import { createChangeDestination } from "../notifications/change-destination.ts";
import { createClaimer } from "../notifications/claim-notification.ts";
import { composeSummary } from "../notifications/compose-summary.ts";
import { createCreateDestination } from "../notifications/create-destination.ts";
import { createDeleteDestination } from "../notifications/delete-destination.ts";
import { createNotificationDeliveryStore } from "../notifications/delivery-store.ts";
import { pausedEvent } from "../notifications/destination-paused.ts";
import { createDestinationSecrets, newSigningSecret } from "../notifications/destination-secrets.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createNotificationDispatcher } from "../notifications/dispatch.ts";
import { createEmailLinks } from "../notifications/email-link.ts";
import { ESCALATION_DUE_TYPE } from "../notifications/escalation.ts";
import { createHandOver, type DeliveryQueue } from "../notifications/hand-over.ts";
import { createListDeliveries } from "../notifications/list-deliveries.ts";
import { createMailedAddressStore } from "../notifications/mailed-address-store.ts";
import { createNoticeStore } from "../notifications/notice-store.ts";
import { createDestinationRecorder } from "../notifications/notification-events.ts";
import { createReleaseHidden } from "../notifications/release-hidden.ts";
import { createRetryDelivery, createTestDestination } from "../notifications/request-delivery.ts";
import { createSendDelivery, type SendDelivery } from "../notifications/send-delivery.ts";
import { createGuardedRequest } from "../notifications/sending/guarded-request.ts";
import { createSendingSlots } from "../notifications/sending-slots.ts";
import { createSendingStore } from "../notifications/sending-store.ts";
import { createTestWindowStore } from "../notifications/test-window-store.ts";
import { createOpenEmailLink, createUseEmailLink } from "../notifications/use-email-link.ts";
import { createRecordWatched, createWatchChange } from "../notifications/watch-change.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createMailer, ses } from "../runtime/mail.ts";
import { openTable } from "../runtime/open-table.ts";
import { createQueue, sqs } from "../runtime/queue.ts";
import { createSealing } from "../runtime/sealing.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { wireHiddenStore, wireMuteStore } from "./mute-stores.ts";
import { wireRecorder } from "./recorder.ts";
import { withSealingKey } from "./sealing.ts";
import { wireFindAlert } from "./security.ts";

export const wireDestinationStore = () => createDestinationStore(openTable("notifications"));

const wireDeliveryStore = () => createNotificationDeliveryStore(openTable("notifications"));

const wireDeliveryQueue = (): DeliveryQueue =>
  createQueue(sqs, readConfig(["NOTIFICATIONS_QUEUE_URL"]).NOTIFICATIONS_QUEUE_URL);

const wireWatchChange = () =>
  createWatchChange(createQueue(sqs, readConfig(["NOTIFICATIONS_QUEUE_URL"]).NOTIFICATIONS_QUEUE_URL));

const wireHandOver = () => createHandOver({ deliveries: wireDeliveryStore(), queue: wireDeliveryQueue() });

/** What is made with the sealing key: the links in mails, and what is remembered of addresses. */
const wireMailing = () => {
  const table = openTable("notifications");
  return (sealingKey: string) => ({
    links: createEmailLinks(createSealing(sealingKey)),
    addresses: createMailedAddressStore(table, { sealingKey, newToken: newRequestToken }),
  });
};

const wireDestinationRecorder = () =>
  createDestinationRecorder({ recorder: wireRecorder(), destinations: wireDestinationStore() });

/** The hosts that the provider's webhooks come to. */
const wireWebhookHosts = (): string[] =>
  (readConfig(["WEBHOOK_URLS"]).WEBHOOK_URLS ?? []).map((url) => new URL(url).host);

const wireWriting = () => {
  const { EMAIL_SENDER, NOTIFICATION_TARGETS: policy } = readConfig(["EMAIL_SENDER", "NOTIFICATION_TARGETS"]);
  const webhookHosts = wireWebhookHosts();
  return {
    destinations: wireDestinationStore(),
    secrets: createDestinationSecrets(wireEnvelope()),
    handOver: wireHandOver(),
    recordChange: wireDestinationRecorder(),
    targetRules: (address: string) => ({ policy, ownHosts: [new URL(address).host, ...webhookHosts] }),
    emailSender: EMAIL_SENDER,
    newSecret: () => newSigningSecret(),
    newToken: newRequestToken,
  };
};

export const wireCreateDestination = () => {
  const [writing, mailing] = [wireWriting(), wireMailing()];
  return withSealingKey((key) => createCreateDestination({ ...writing, ...mailing(key) }));
};

export const wireChangeDestination = () => {
  const [writing, mailing] = [wireWriting(), wireMailing()];
  const changing = { ...writing, watchChange: wireWatchChange(), now: systemClock };
  return withSealingKey((key) => createChangeDestination({ ...changing, ...mailing(key) }));
};

export const wireDeleteDestination = () =>
  createDeleteDestination({
    destinations: wireDestinationStore(),
    recordChange: wireDestinationRecorder(),
    watchChange: wireWatchChange(),
    now: systemClock,
  });

export const wireTestDestination = () =>
  createTestDestination({
    destinations: wireDestinationStore(),
    window: createTestWindowStore(openTable("notifications")),
    handOver: wireHandOver(),
    now: systemClock,
  });

export const wireListDeliveries = () =>
  createListDeliveries({ destinations: wireDestinationStore(), deliveries: wireDeliveryStore(), now: systemClock });

export const wireRetryDelivery = () =>
  createRetryDelivery({
    destinations: wireDestinationStore(),
    deliveries: wireDeliveryStore(),
    queue: wireDeliveryQueue(),
    now: systemClock,
  });

export const wireOpenEmailLink = () => {
  const opening = { destinations: wireDestinationStore(), now: systemClock };
  const mailing = wireMailing();
  return withSealingKey((key) => createOpenEmailLink({ ...opening, ...mailing(key) }));
};

export const wireUseEmailLink = () => {
  const using = {
    destinations: wireDestinationStore(),
    recordChange: wireDestinationRecorder(),
    watchChange: wireWatchChange(),
    newToken: newRequestToken,
    now: systemClock,
  };
  const mailing = wireMailing();
  return withSealingKey((key) => createUseEmailLink({ ...using, ...mailing(key) }));
};

/** What the ends of mutes need to send what they have hidden. */
export const wireReleaseHidden = () => {
  const config = readConfig(["NOTIFICATIONS_QUEUE_URL", "CONSOLE_URL"]);
  const notices = createNoticeStore(openTable("notifications"));
  return createReleaseHidden({
    destinations: wireDestinationStore(),
    notices,
    deliveries: wireDeliveryStore(),
    alerts: { find: wireFindAlert() },
    mutes: wireMuteStore(),
    hidden: wireHiddenStore(),
    claimer: createClaimer({
      notices,
      queue: createQueue(sqs, config.NOTIFICATIONS_QUEUE_URL),
      consoleUrl: config.CONSOLE_URL,
      now: systemClock,
    }),
    now: systemClock,
  });
};

export const wireNotificationDispatcher = () => {
  const config = readConfig(["NOTIFICATIONS_QUEUE_URL", "CONSOLE_URL"]);
  const { live } = wireMuteStore();
  const { hide } = wireHiddenStore();
  return createNotificationDispatcher({
    notices: createNoticeStore(openTable("notifications")),
    destinations: wireDestinationStore(),
    deliveries: wireDeliveryStore(),
    mutes: { live, hide },
    alerts: { find: wireFindAlert() },
    queue: createQueue(sqs, config.NOTIFICATIONS_QUEUE_URL),
    consoleUrl: config.CONSOLE_URL,
    now: systemClock,
  });
};

/** The returned function throws Error if the bus did not take the event. */
const wirePublish = () => {
  const bus = createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);
  return async (event: Parameters<typeof bus.publish>[0][number]): Promise<void> => {
    const [unpublished] = await bus.publish([event]);
    if (unpublished !== undefined) throw new Error(`The bus did not take the event: ${unpublished.reason}`);
  };
};

export const wireApplyMailFeedback = () => {
  const publish = wirePublish();
  return createApplyMailFeedback({
    store: createSendingStore(openTable("notifications")),
    publishPaused: (paused) => publish(pausedEvent(paused)),
  });
};

export const wireSendDelivery = () => {
  const config = readConfig([
    "NOTIFICATIONS_QUEUE_URL",
    "NOTIFICATION_TARGETS",
    "CONSOLE_URL",
    "EMAIL_SENDER",
    "EMAIL_CONFIGURATION_SET",
    "MAILS_PER_DAY",
  ]);
  const { CONSOLE_URL: consoleUrl, EMAIL_SENDER: sender, EMAIL_CONFIGURATION_SET: configurationSet } = config;
  const notices = createNoticeStore(openTable("notifications"));
  const publish = wirePublish();
  const queue = createQueue(sqs, config.NOTIFICATIONS_QUEUE_URL);
  const { origin, host } = new URL(consoleUrl);
  const send: SendDelivery = createSendDelivery({
    store: createSendingStore(openTable("notifications")),
    slots: createSendingSlots(openTable("notifications")),
    queue,
    secrets: createDestinationSecrets(wireEnvelope()),
    request: createGuardedRequest({
      rules: { policy: config.NOTIFICATION_TARGETS, ownHosts: [host, ...wireWebhookHosts()] },
    }),
    mailer: sender === undefined ? undefined : createMailer(ses, { sender, configurationSet }),
    mailsPerDay: config.MAILS_PER_DAY,
    summarize: async (organizationId, bundle) => {
      const summary = await composeSummary(
        { organizationId, bundle, consoleUrl },
        notices.held(organizationId, bundle),
      );
      return summary.data.total === 0 ? undefined : summary;
    },
    recordWatched: createRecordWatched({ destinations: wireDestinationStore(), publish }),
    publishPaused: (paused) => publish(pausedEvent(paused)),
    publishEscalation: (detail) => publish({ source: EVENT_SOURCE, detailType: ESCALATION_DUE_TYPE, detail }),
    apiOrigin: origin,
    newToken: newRequestToken,
    now: systemClock,
  });
  return { send, postpone: queue.postpone };
};
