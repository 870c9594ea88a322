/** Makes the notifications of changed alerts and new reports, from the queue that the event bus fills. docs/notifications.md. */
import { Notifiable } from "../../shared/notifications/dispatch.ts";
import { createQueueHandler } from "../../shared/runtime/background-handlers.ts";
import { wireNotificationDispatcher } from "../../shared/wiring/notifications.ts";

export const handler = createQueueHandler("dispatch-notifications", Notifiable, wireNotificationDispatcher());
