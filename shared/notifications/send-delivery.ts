/**
 * Tries one delivery once: claim, render, take a slot, send, record. The queue repeats it until it has ended. At least
 * once: if an instance dies after sending, or its record is lost, another one sends again when the lease has ended.
 * docs/notifications.md, "Tries".
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import { MailError, type Mailer } from "../runtime/mail.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { DeliveryAttempt, DeliveryMessage, StoredDelivery } from "./delivery.ts";
import type { PausedDestination } from "./destination-paused.ts";
import { type DestinationSecrets, type DestinationSecretsStore, signingSecrets } from "./destination-secrets.ts";
import { EMAIL_LINK_PATH } from "./email-link.ts";
import type { EscalationDue } from "./escalation.ts";
import { type DeliveryQueue, enqueue } from "./hand-over.ts";
import { mailTags } from "./mail-feedback.ts";
import { mailOf } from "./messages/mail.ts";
import { type Notification, parseNotification } from "./messages/notification.ts";
import { slackMessage } from "./messages/slack.ts";
import { teamsMessage } from "./messages/teams.ts";
import { webhookBody, webhookHeaders } from "./messages/webhook.ts";
import type { DestinationItem } from "./notification-items.ts";
import type { GuardedRequest } from "./sending/guarded-request.ts";
import { redactedAnswer, type SentRequest } from "./sending/redacted-answer.ts";
import { GuardedRequestError } from "./sending/request-failure.ts";
import { hasFailedForLong, pauseAfter, pauseForSlot } from "./sending/retry-schedule.ts";
import { type SendingSlots, SLOW_MS } from "./sending-slots.ts";
import type { SendingStore, TryNote } from "./sending-store.ts";

export type SendDependencies = {
  store: SendingStore;
  slots: SendingSlots;
  /** Takes the message of a delivery that waits for a slot. */
  queue: DeliveryQueue;
  secrets: Pick<DestinationSecretsStore, "open">;
  request: GuardedRequest;
  /** Undefined if the deployment sends no mails. */
  mailer: Pick<Mailer, "send"> | undefined;
  /** Mails of an organization in a day (UTC). */
  mailsPerDay: number;
  /** Composes the summary of a bundle that has begun; undefined if the bundle is empty. */
  summarize(organizationId: string, bundle: StoredDelivery): Promise<Notification | undefined>;
  /** Has a silencing change recorded that is not recorded yet (watch-change.ts). */
  recordWatched(message: DeliveryMessage): Promise<void>;
  /** @throws Error if the bus did not take the event. */
  publishPaused(paused: PausedDestination): Promise<void>;
  /** @throws Error if the bus did not take the event. */
  publishEscalation(due: EscalationDue): Promise<void>;
  /** The origin of the API, where links in mails lead. */
  apiOrigin: string;
  newToken(): string;
  now: Clock;
};

/** @returns the seconds after which the message must come again; undefined if the delivery has ended, or has a new message. */
export type SendDelivery = (message: DeliveryMessage) => Promise<number | undefined>;

/** `isOurs`: the destination had no part in the failure, which does not count towards its pause. */
type Sent = {
  isDelivered: boolean;
  isGone: boolean;
  isOurs?: boolean;
  retryAfter?: string | undefined;
  attempt: DeliveryAttempt;
};

/** Seconds until the next day (UTC) begins. @param at epoch ms. */
const untilTomorrow = (at: number): string => String(Math.ceil((DAY_MS - (at % DAY_MS)) / 1_000));

const noteOf = ({ at, latencyMs }: DeliveryAttempt): TryNote => ({ at, isSlow: latencyMs >= SLOW_MS });

/** Why a delivery cannot be sent to the destination now; undefined if it can. */
const hindranceOf = (destination: DestinationItem | undefined, type: Notification["type"]): string | undefined => {
  if (destination === undefined) return "deleted";
  const { status } = destination;
  if (type === "destination.confirmation" && status !== "paused")
    return status === "unconfirmed" ? undefined : "already_confirmed";
  return status === "active" ? undefined : status;
};

export const createSendDelivery = (dependencies: SendDependencies): SendDelivery => {
  const { store, slots, request, mailer, now, apiOrigin } = dependencies;

  const requestOf = (
    notification: Notification,
    { destinationId, deliveryId }: DeliveryMessage,
    secrets: Exclude<DestinationSecrets, { type: "email" }>,
  ): SentRequest => {
    const { url } = secrets;
    const headers = { "content-type": "application/json; charset=utf-8", "user-agent": "notifications/1" };
    if (secrets.type === "slack") return { url, headers, body: slackMessage(notification) };
    if (secrets.type === "teams") return { url, headers, body: teamsMessage(notification) };
    const body = webhookBody(notification);
    const at = now();
    const signed = { id: `${destinationId}_${deliveryId}`, at, body, secrets: signingSecrets(secrets.secrets, at) };
    return { url, headers: { ...headers, ...webhookHeaders(signed) }, body };
  };

  const mail = async (
    notification: Notification,
    message: DeliveryMessage,
    to: string,
    keys: Extract<DestinationSecrets, { type: "email" }>,
  ) => {
    const linkTo = (key: string): string => `${apiOrigin}${EMAIL_LINK_PATH}?key=${encodeURIComponent(key)}`;
    const links = {
      unsubscribe: linkTo(keys.unsubscribeKey),
      ...(notification.type === "destination.confirmation" && {
        confirm: linkTo(keys.confirmKey),
        ...(keys.notMeKey !== undefined && { notMe: linkTo(keys.notMeKey) }),
      }),
    };
    if (mailer === undefined) throw new MailError("no_sender", "service");
    await mailer.send({ to, tags: mailTags(message), ...mailOf(notification, links) });
  };

  /** Sends once. Never throws: a failure is an attempt as well. */
  const trySend = async (
    notification: Notification,
    message: DeliveryMessage,
    { target }: Pick<DestinationItem, "target">,
    secrets: DestinationSecrets,
  ): Promise<Sent> => {
    const at = now();
    const attempted = (fields: { status?: number; error?: string | undefined; answer?: string }): DeliveryAttempt => ({
      at,
      latencyMs: Math.max(0, now() - at),
      ...definedFields(fields),
    });
    try {
      if (secrets.type === "email") {
        const { organizationId } = message;
        if (!(await store.countMail(organizationId, { at, most: dependencies.mailsPerDay }))) {
          const attempt = attempted({ error: "too_many_mails" });
          return { isDelivered: false, isGone: false, isOurs: true, retryAfter: untilTomorrow(at), attempt };
        }
        await mail(notification, message, target, secrets);
        return { isDelivered: true, isGone: false, attempt: attempted({}) };
      }
      const outgoing = requestOf(notification, message, secrets);
      const { status, retryAfter, body } = await request(outgoing);
      const isDelivered = status >= 200 && status < 300;
      const answer = redactedAnswer(body, secrets.type, outgoing);
      const error = isDelivered ? undefined : "refused";
      return { isDelivered, isGone: status === 410, retryAfter, attempt: attempted({ status, error, answer }) };
    } catch (error) {
      // No other text of the error: it may name the address or the URL.
      const reason =
        error instanceof GuardedRequestError ? error.failure : error instanceof Error ? error.name : "error";
      const fault = error instanceof MailError ? error.fault : undefined;
      if (fault === "sender") {
        writeLog("error", "SES refuses the e-mails of this deployment", { alarm: "mail_sender", error: reason });
      }
      const isOurs = fault === "sender" || fault === "service";
      return { isDelivered: false, isGone: false, isOurs, attempt: attempted({ error: reason }) };
    }
  };

  /** Notes a failed try at the destination. @returns why the destination was paused; undefined if it was not. */
  const noteFailure = async (
    { organizationId, destinationId }: DeliveryMessage,
    destination: DestinationItem,
    { isGone, attempt }: Sent,
  ): Promise<"failing" | "gone" | undefined> => {
    const { at } = attempt;
    const failingSince = await store.noteFailure(organizationId, destinationId, noteOf(attempt));
    if (!isGone && !hasFailedForLong(failingSince, at)) return undefined;
    const reason = isGone ? "gone" : "failing";
    // The event first: a crash between the two repeats both, and the alert is not lost.
    const paused = { organizationId, destination, reason, failingSince, at } as const;
    await dependencies.publishPaused(paused);
    await store.pause(organizationId, destinationId, { at, because: reason });
    return reason;
  };

  return async (message) => {
    const { organizationId, destinationId, deliveryId } = message;
    if (message.isWatch) {
      await dependencies.recordWatched(message);
      return undefined;
    }
    const { escalates } = message;
    if (escalates !== undefined) {
      const { alertId, to, dueAt } = escalates;
      if (now() < dueAt) return Math.ceil((dueAt - now()) / 1_000);
      await dependencies.publishEscalation({ version: 1, organizationId, alertId, from: destinationId, to });
      return undefined;
    }
    const token = dependencies.newToken();
    const claimed = await store.claim(message, { token, now: now() });
    if (claimed.is === "ended") return undefined;
    // The holder of the lease may have died, so the message stays until the delivery has ended.
    if (claimed.is !== "claimed") return Math.max(1, Math.ceil((claimed.until - now()) / 1_000));

    const { delivery } = claimed;
    const record = async (
      ...result: Parameters<typeof store.record> extends [unknown, unknown, ...infer Rest] ? Rest : never
    ) => {
      if (!(await store.record(message, token, ...result))) throw new Error("The lease of the delivery was lost.");
    };
    const giveUp = (error: string) => record({ is: "failed", at: now(), error }, delivery.attempts);

    const { former } = delivery;
    const current = former === undefined ? await store.readDestination(organizationId, destinationId) : undefined;
    const hindrance = former === undefined ? hindranceOf(current, delivery.type) : undefined;
    const destination = former ?? current;
    if (destination === undefined || hindrance !== undefined) {
      await giveUp(hindrance ?? "deleted");
      return undefined;
    }
    const stored = delivery.notification;
    const notification =
      stored === undefined ? await dependencies.summarize(organizationId, delivery) : parseNotification(stored);
    if (notification === undefined) {
      await giveUp("empty");
      return undefined;
    }
    if (stored === undefined && !(await store.keepNotification(message, token, JSON.stringify(notification)))) {
      throw new Error("The lease of the delivery was lost.");
    }

    const open = () => dependencies.secrets.open(organizationId, destination.sealed);
    // Only the secrets of a former destination tell its type.
    const opened = former === undefined ? undefined : await open();
    // Mails take no slot: SES accepts them at once.
    const needsSlot = (current ?? opened)?.type !== "email";
    const slot = needsSlot
      ? await slots.take(organizationId, { id: destinationId, isSlow: current?.isSlow }, { token, now: now() })
      : undefined;
    if (needsSlot && slot === undefined) {
      const waits = (delivery.waits ?? 0) + 1;
      const seconds = Math.ceil(pauseForSlot(deliveryId, waits) / 1_000);
      await record({ is: "waiting", notBefore: now() + seconds * 1_000, waits }, delivery.attempts);
      // A new message, because each receive of this one counts: after too many, it would become a dead letter.
      return (await enqueue(dependencies.queue, organizationId, message, seconds)) ? undefined : seconds;
    }

    const openAndSend = async () => trySend(notification, message, destination, opened ?? (await open()));
    const sent = await openAndSend().finally(() => slot && slots.release(organizationId, slot));
    const attempts = [...delivery.attempts, sent.attempt];
    if (sent.isDelivered) {
      // The success first: after the record nothing repeats, and the destination would still count as failing.
      if (current !== undefined) await store.noteSuccess(organizationId, destinationId, noteOf(sent.attempt));
      await record({ is: "delivered", at: now() }, attempts);
      return undefined;
    }

    const { status, error } = sent.attempt;
    writeLog("warn", "A notification was not delivered", { destinationId, deliveryId, status, error });
    const isFailure = current !== undefined && sent.isOurs !== true;
    const paused = isFailure ? await noteFailure(message, current, sent) : undefined;
    const tries = delivery.tries + 1;
    const pause =
      paused === undefined ? pauseAfter(deliveryId, { tries, retryAfter: sent.retryAfter, now: now() }) : undefined;
    if (pause === undefined) {
      await record({ is: "failed", at: now(), error: paused ?? "no_tries_left", tries }, attempts);
      return undefined;
    }
    await record({ is: "again", notBefore: now() + pause, tries }, attempts);
    return Math.ceil(pause / 1_000);
  };
};
