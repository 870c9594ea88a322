/** Sends deliveries to their destinations, from the queue that other functions fill. docs/notifications.md, "Tries". */
import { DeliveryMessage } from "../../shared/notifications/delivery.ts";
import { createMessageHandler } from "../../shared/runtime/background-handlers.ts";
import { wireSendDelivery } from "../../shared/wiring/notifications.ts";

const { send, postpone } = wireSendDelivery();

export const handler = createMessageHandler("send-notifications", DeliveryMessage, send, postpone);
