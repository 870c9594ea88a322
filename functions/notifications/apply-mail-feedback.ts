/** Applies bounces and complaints of mails to their destinations, from the queue that SES's events fill. docs/notifications.md. */
import { MailFeedback } from "../../shared/notifications/mail-feedback.ts";
import { createQueueHandler } from "../../shared/runtime/background-handlers.ts";
import { wireApplyMailFeedback } from "../../shared/wiring/notifications.ts";

export const handler = createQueueHandler("apply-mail-feedback", MailFeedback, wireApplyMailFeedback());
