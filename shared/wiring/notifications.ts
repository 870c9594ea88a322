/** The notifications of a deployed function. All throw Error at cold start if the environment lacks a variable. */
import { createNotificationDeliveryStore } from "../notifications/delivery-store.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createNotificationDispatcher } from "../notifications/dispatch.ts";
import { createNoticeStore } from "../notifications/notice-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createQueue, sqs } from "../runtime/queue.ts";
import { findAlert } from "../security/alerts/alert-store.ts";
import { organizationKey } from "../terms/keys.ts";

export const wireNotificationDispatcher = () => {
  const config = readConfig([
    ...(["NOTIFICATIONS_TABLE_NAME", "NOTIFICATIONS_QUEUE_URL", "CONSOLE_URL", "SECURITY_ALERTS_TABLE_NAME"] as const),
  ]);
  const tableName = config.NOTIFICATIONS_TABLE_NAME;
  return createNotificationDispatcher({
    notices: createNoticeStore(documentClient, tableName),
    destinations: createDestinationStore(documentClient, tableName),
    deliveries: createNotificationDeliveryStore(documentClient, tableName),
    alerts: {
      find: async (organizationId, id) => {
        const of = { scope: organizationKey(organizationId), id, now: systemClock() };
        return (await findAlert(documentClient, config.SECURITY_ALERTS_TABLE_NAME, of))?.item;
      },
    },
    queue: createQueue(sqs, config.NOTIFICATIONS_QUEUE_URL),
    consoleUrl: config.CONSOLE_URL,
    now: systemClock,
  });
};
