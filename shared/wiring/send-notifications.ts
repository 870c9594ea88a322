/** What sends deliveries in a deployed function. Throws Error at cold start if the environment lacks a variable. */
import { composeSummary } from "../notifications/compose-summary.ts";
import { pausedEvent } from "../notifications/destination-paused.ts";
import { createDestinationSecrets } from "../notifications/destination-secrets.ts";
import { createNoticeStore } from "../notifications/notice-store.ts";
import { createSendDelivery, type SendDelivery } from "../notifications/send-delivery.ts";
import { createGuardedRequest } from "../notifications/sending/guarded-request.ts";
import { createSendingStore } from "../notifications/sending-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireEnvelope } from "../runtime/envelope.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { createMailer, ses } from "../runtime/mail.ts";
import { createQueue, sqs } from "../runtime/queue.ts";

export const wireSendDelivery = () => {
  const config = readConfig([
    "NOTIFICATIONS_TABLE_NAME",
    "NOTIFICATIONS_QUEUE_URL",
    "NOTIFICATION_TARGETS",
    "CONSOLE_URL",
    "EMAIL_SENDER",
    "EVENT_BUS_NAME",
  ]);
  const { NOTIFICATIONS_TABLE_NAME: tableName, CONSOLE_URL: consoleUrl, EMAIL_SENDER: sender } = config;
  const notices = createNoticeStore(documentClient, tableName);
  const bus = createEventBus(eventBusClient, config.EVENT_BUS_NAME);
  const { origin, hostname } = new URL(consoleUrl);
  const send: SendDelivery = createSendDelivery({
    store: createSendingStore(documentClient, tableName),
    secrets: createDestinationSecrets(wireEnvelope()),
    request: createGuardedRequest({ rules: { policy: config.NOTIFICATION_TARGETS, ownHosts: [hostname] } }),
    mailer: sender === undefined ? undefined : createMailer(ses, { sender }),
    summarize: async (organizationId, bundle) => {
      const summary = await composeSummary(
        { organizationId, bundle, consoleUrl },
        notices.held(organizationId, bundle),
      );
      return summary.data.total === 0 ? undefined : summary;
    },
    publishPaused: async (paused) => {
      const [unpublished] = await bus.publish([pausedEvent(paused)]);
      if (unpublished !== undefined) throw new Error(`The bus did not take the pause: ${unpublished.reason}`);
    },
    apiOrigin: origin,
    newToken: newRequestToken,
    now: systemClock,
  });
  return { send, postpone: createQueue(sqs, config.NOTIFICATIONS_QUEUE_URL).postpone };
};
