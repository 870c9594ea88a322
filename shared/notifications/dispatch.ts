/**
 * Turns bus events into deliveries: a change of an alert for each active destination whose filter takes it, a report for
 * each e-mail destination that wants its kind. docs/notifications.md, "What is notified".
 *
 * Bus events and messages come at least once. The notice of an alert is claimed in one transaction with the delivery, or
 * with the held notification, so each is stored once. The message to the sender follows; if it is lost, the redelivered
 * event finds its own claim and sends the message again, even if the destination is paused or the alert erased by then.
 * Not to a destination that is deleted by then: nobody sees its deliveries any more, and they expire.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { ReportMade } from "../reports/report-made.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Queue } from "../runtime/queue.ts";
import { type Alert, SILENCED_RULE } from "../security/alerts/alert.ts";
import { SecurityAlertChanged } from "../security/alerts/alert-publisher.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { consoleAlertUrl, consoleReportUrl } from "./console-urls.ts";
import { decideHold, type Hold, holdForStorm } from "./decide-hold.ts";
import { type DueNotification, decideNotice } from "./decide-notice.ts";
import { DELIVERY_LIFE_MS, type DeliveryMessage, type DeliveryRef, newDelivery } from "./delivery.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { Destination } from "./destination.ts";
import type { ReportRhythm } from "./destination-settings.ts";
import { createSilencingDispatcher } from "./dispatch-silencing.ts";
import { type Notification, NotifiedAlert } from "./messages/notification.ts";
import type { ClaimResult, NoticeClaim, NoticeStore } from "./notice-store.ts";

/** The detail of a bus event that may be notified. */
export const Notifiable = z.union([SecurityAlertChanged, ReportMade]);
export type Notifiable = z.output<typeof Notifiable>;

/**
 * An erasure reads everything again this long after it removed something. An event that comes later may show what has been
 * erased since, so its alert is read again.
 */
const LATE_MS = 4_000;

/** Other events change the notice, or the bundle begins to be sent, each at most a few times. */
const MAX_ATTEMPTS = 8;

const rhythmOf = { compliance: "daily", review: "weekly" } as const satisfies Record<ReportMade["kind"], ReportRhythm>;

type AlertChange = SecurityAlertChanged & { organizationId: string };

export type DispatchDependencies = {
  destinations: { list(organizationId: string): Promise<readonly Destination[]> };
  notices: Pick<
    NoticeStore,
    "read" | "takePlace" | "deliver" | "isBundleQueued" | "noteBundleQueued" | "hold" | "silencings" | "forgetSilencing"
  >;
  alerts: {
    /** Undefined if it is not stored any more. */
    find(organizationId: string, alertId: string): Promise<Pick<Alert, "title" | "message" | "resolvedBy"> | undefined>;
  };
  deliveries: Pick<NotificationDeliveryStore, "put" | "read">;
  queue: Pick<Queue, "send">;
  /** Without a slash at its end. */
  consoleUrl: string;
  now: Clock;
};

/** Lets work under the same key wait for each other: transactions on the same bundle would conflict. */
const createSerialiser = () => {
  const last = new Map<string, Promise<unknown>>();
  return <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const run = (last.get(key) ?? Promise.resolve()).then(work);
    const ended = run
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    return run;
  };
};

export const createNotificationDispatcher = ({
  destinations,
  notices,
  alerts,
  deliveries,
  queue,
  consoleUrl,
  now,
}: DispatchDependencies) => {
  const inTurn = createSerialiser();

  /** @param dueAt epoch ms. @throws Error if the queue does not take the message; then the event is delivered again. */
  const send = async (organizationId: string, { destinationId, deliveryId }: DeliveryRef, dueAt = 0): Promise<void> => {
    const body = { organizationId, destinationId, deliveryId } satisfies DeliveryMessage;
    const delaySeconds = Math.max(0, dueAt - now()) / 1_000;
    const [unsent] = await queue.send([{ body, delaySeconds, group: organizationId }]);
    if (unsent !== undefined) throw new Error(`The queue did not take the message of a delivery: ${unsent.reason}.`);
  };

  const notificationOf = (
    { organizationId, alert }: AlertChange,
    { change, previousLevel }: Pick<DueNotification, "change" | "previousLevel">,
  ) =>
    ({
      type: `security.alert.${change}`,
      timestamp: now(),
      organizationId,
      data: {
        alert: NotifiedAlert.parse(alert),
        ...definedFields({ previousLevel }),
        url: consoleAlertUrl(consoleUrl, alert.id),
      },
    }) satisfies Notification;

  const dispatchSilencing = createSilencingDispatcher({ notices, deliveries, send, now });

  /** The summary that a notification waits for; undefined if it is sent at once, and then it has a place in the window. */
  const holdAt = async (
    destination: Destination,
    { organizationId, alert }: AlertChange,
    single: DeliveryRef,
    time: number,
  ): Promise<Hold | undefined> => {
    const held = decideHold(destination, alert.level, time);
    if (held !== undefined) return held;
    const fullSince = await notices.takePlace(organizationId, single, { level: alert.level, now: time });
    return fullSince === undefined ? undefined : holdForStorm(destination, alert.level, fullSince);
  };

  /** Stores a delivery of this notification alone, and sends its message. */
  const deliverAlone = async (claim: NoticeClaim, changed: AlertChange, single: DeliveryRef): Promise<ClaimResult> => {
    const text = JSON.stringify(notificationOf(changed, claim.due));
    const result = await notices.deliver(claim, single.deliveryId, text);
    if (result === "written") await send(claim.organizationId, single);
    return result;
  };

  /** Holds a notification in a summary, and sends the summary's message, to arrive when it is due, if none was sent yet. */
  const holdInSummary = async (claim: NoticeClaim, { at, alert }: AlertChange, hold: Hold): Promise<ClaimResult> => {
    const { organizationId, destinationId, due } = claim;
    const { reason, dueAt } = hold;
    const bundle = { destinationId, deliveryId: eventId(dueAt, identityOf("bundle", destinationId, reason, dueAt)) };
    const isQueued = await notices.isBundleQueued(organizationId, bundle);
    const entry = { ...NotifiedAlert.parse(alert), change: due.change, url: consoleAlertUrl(consoleUrl, alert.id) };
    const result = await notices.hold(claim, { ...hold, deliveryId: bundle.deliveryId }, { at, entry });
    if (result === "written" && !isQueued) {
      await send(organizationId, bundle, dueAt);
      await notices.noteBundleQueued(organizationId, bundle);
    }
    return result;
  };

  /**
   * Claims a due notification and stores what follows from it in one transaction. Two writers can come first:
   *
   *     this event:   read the notice ── decide ── choose a summary ── claim and store ── send the message
   *     other event:        claims the same ─────────────────┘ "claimed": read the notice again
   *     sender:                      begins to send the summary ─┘ "begun": choose the next summary
   *
   * @returns whether the notification is stored, and its message sent; false if the notice has changed since it was read.
   */
  const claim = async (changed: AlertChange, destination: Destination, due: DueNotification): Promise<boolean> => {
    const { organizationId, alert, at } = changed;
    const destinationId = destination.id;
    const deliveryId = eventId(at, identityOf("alert", destinationId, alert.id, alert.revision));
    const single = { destinationId, deliveryId };
    const claimed = { organizationId, destinationId, alert, due, now: now() };
    let time = claimed.now;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const hold = await holdAt(destination, changed, single, time);
      if (hold === undefined) return (await deliverAlone(claimed, changed, single)) === "written";
      const result = await holdInSummary(claimed, changed, hold);
      if (result !== "begun") return result === "written";
      // The summary is being sent already, for instance because clocks differ.
      time = Math.max(time, hold.dueAt);
    }
    throw new Error("Summaries begin faster than a notification can be held for them.");
  };

  /** @param current the change without what an erasure has removed; undefined if the alert is not stored any more. */
  const notify = async (
    event: AlertChange,
    current: AlertChange | undefined,
    destination: Destination,
  ): Promise<void> => {
    const { organizationId, alert } = event;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const notice = await notices.read(organizationId, destination.id, alert.id);
      const own = Object.values(notice).find((notified) => notified?.revision === alert.revision);
      if (own !== undefined) {
        // This event has claimed it before, and may have ended before it sent the message.
        await send(organizationId, { destinationId: destination.id, deliveryId: own.deliveryId });
        return;
      }
      if (current === undefined || destination.status !== "active") return;
      const due = decideNotice(current, destination, notice);
      // Its raising is sent by dispatchSilencing.
      if (alert.rule === SILENCED_RULE && due?.change !== "resolved") return;
      if (due === undefined || (await claim(current, destination, due))) return;
    }
    throw new Error("The notice of an alert changes too fast.");
  };

  const sendReport = async (made: ReportMade, destination: Destination): Promise<void> => {
    const { organizationId, id, kind, from, to } = made;
    if (destination.type !== "email") return;
    const ref = { destinationId: destination.id, deliveryId: eventId(to, identityOf("report", destination.id, id)) };
    if (destination.status !== "active" || destination.reports?.includes(rhythmOf[kind]) !== true) {
      // This event may have stored the delivery before, and have ended before it sent the message.
      const stored = await deliveries.read(organizationId, ref, now());
      if (stored?.status === "pending") await send(organizationId, ref);
      return;
    }
    const createdAt = now();
    const notification = {
      type: "report.created",
      timestamp: createdAt,
      organizationId,
      data: { id, kind, from, to, url: consoleReportUrl(consoleUrl, { kind, id }) },
    } satisfies Notification;
    const text = JSON.stringify(notification);
    await deliveries.put(organizationId, newDelivery(ref, { type: notification.type, createdAt, notification: text }));
    await send(organizationId, ref);
  };

  /** The change without what an erasure has removed since; undefined if the alert is not stored any more. */
  const withoutErased = async (changed: AlertChange): Promise<AlertChange | undefined> => {
    if (changed.at > now() - LATE_MS) return changed;
    const stored = await alerts.find(changed.organizationId, changed.alert.id);
    if (stored === undefined) return undefined;
    const alert = { ...changed.alert, title: stored.title };
    for (const name of ["message", "resolvedBy"] as const) if (stored[name] === undefined) delete alert[name];
    return { ...changed, alert };
  };

  /**
   * Notifies the destinations of an organization; events of no organization are ignored.
   * @throws Error or DomainError if a store or the queue fails for a destination, after all others were notified. The
   *   event may then be dispatched again, as often as it comes.
   */
  return async (event: Notifiable): Promise<void> => {
    const { organizationId } = event;
    if (organizationId === undefined) return;
    // A report that is made again, such as after an erasure, is not news any more once its delivery has expired.
    if ("kind" in event && event.to <= now() - DELIVERY_LIFE_MS) return;
    const all = await destinations.list(organizationId);
    const changed = "kind" in event ? undefined : { ...event, organizationId };
    const isSilencing = changed?.alert.rule === SILENCED_RULE;
    if (all.length === 0 && !isSilencing) return;
    const current = changed && (await withoutErased(changed));
    if (changed !== undefined && isSilencing) {
      // The alert has the title of its first change.
      await dispatchSilencing(changed, all, (title) => {
        return current && notificationOf({ ...current, alert: { ...current.alert, title } }, { change: "raised" });
      });
    }
    const outcomes = await Promise.allSettled(
      all.map(async (destination) => {
        if (changed !== undefined)
          return inTurn(`${organizationId} ${destination.id}`, () => notify(changed, current, destination));
        if ("kind" in event) await sendReport(event, destination);
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
};
