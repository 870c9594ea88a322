/**
 * Turns bus events into deliveries: a change of an alert for each active destination whose filter takes it, a report for
 * each e-mail destination that wants its kind, an alert that no user has acknowledged for the destination of its escalation. docs/notifications.md, "What is notified".
 *
 * Bus events and messages come at least once. The notice of an alert is claimed in one transaction with the delivery, or
 * with the held notification, so each is stored once. The message to the sender follows; if it is lost, the redelivered
 * event finds its own claim and sends the message again, even if the destination is paused or the alert erased by then.
 * Not to a destination that is deleted by then: nobody sees its deliveries any more, and they expire.
 */
import * as z from "zod/mini";
import type { Withheld } from "../mutes/hidden-store.ts";
import { actingOn } from "../mutes/mute-times.ts";
import { ReportMade } from "../reports/report-made.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Queue } from "../runtime/queue.ts";
import { type Alert, MUTED_RULE, SILENCED_RULE } from "../security/alerts/alert.ts";
import { SecurityAlertChanged } from "../security/alerts/alert-publisher.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { type AlertChange, type ClaimDependencies, createClaimer } from "./claim-notification.ts";
import { consoleReportUrl } from "./console-urls.ts";
import { decideNotice } from "./decide-notice.ts";
import { DELIVERY_LIFE_MS, newDelivery } from "./delivery.ts";
import type { NotificationDeliveryStore } from "./delivery-store.ts";
import type { Destination } from "./destination.ts";
import type { ReportRhythm } from "./destination-settings.ts";
import { createEscalationDispatcher } from "./dispatch-escalation.ts";
import { createSilencingDispatcher } from "./dispatch-silencing.ts";
import { EscalationDue } from "./escalation.ts";
import type { Notification } from "./messages/notification.ts";
import { hideIn, type MutingDependencies, readActing } from "./muting.ts";
import type { NoticeStore } from "./notice-store.ts";
import { claimsOf, isNotified } from "./notification-items.ts";

/** The detail of a bus event that may be notified. */
export const Notifiable = z.union([SecurityAlertChanged, ReportMade, EscalationDue]);
export type Notifiable = z.output<typeof Notifiable>;

/**
 * An erasure reads everything again this long after it removed something. An event that comes later may show what has been
 * erased since, so its alert is read again.
 */
const LATE_MS = 4_000;

/** Other events change the notice, or the bundle begins to be sent, each at most a few times. */
const MAX_ATTEMPTS = 8;

const rhythmOf = { compliance: "daily", review: "weekly", month: "monthly" } as const satisfies Record<
  ReportMade["kind"],
  ReportRhythm
>;

export type DispatchDependencies = {
  destinations: { list(organizationId: string): Promise<readonly Destination[]> };
  notices: ClaimDependencies["notices"] &
    Pick<NoticeStore, "read" | "withhold" | "dropEnd" | "silencings" | "forgetSilencing">;
  mutes: MutingDependencies;
  alerts: {
    /** Undefined if it is not stored any more. */
    find(organizationId: string, alertId: string): Promise<Alert | undefined>;
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
  mutes,
  alerts,
  deliveries,
  queue,
  consoleUrl,
  now,
}: DispatchDependencies) => {
  const inTurn = createSerialiser();

  const claimer = createClaimer({ notices, queue, consoleUrl, now });
  const { send, notificationOf } = claimer;

  const dispatchEscalation = createEscalationDispatcher({
    destinations,
    notices,
    alerts,
    isMuted: async (organizationId, alert) => actingOn(await mutes.live(organizationId), alert, now()).length > 0,
    send,
    claim: (organizationId, alert, destination, due) =>
      inTurn(`${organizationId} ${destination.id}`, () =>
        claimer.claim({ change: "repeated", at: now(), organizationId, alert }, destination, due),
      ),
  });

  const dispatchSilencing = createSilencingDispatcher({ notices, deliveries, send, now });

  /**
   * @param current the change without what an erasure has removed; undefined if the alert is not stored any more.
   * @param isMuted whether mutes act on the change.
   * @returns what a mute withholds; undefined if nothing is withheld.
   */
  const notify = async (
    event: AlertChange,
    current: AlertChange | undefined,
    destination: Destination,
    isMuted: boolean,
  ): Promise<Withheld | undefined> => {
    const { organizationId, alert } = event;
    const destinationId = destination.id;
    const isMuteItself = alert.rule === MUTED_RULE && alert.status !== "resolved";
    // The alert about a mute, and each notification of a drill, go to all destinations, whatever they take.
    const isForAll = isMuteItself || alert.drill === true;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const notice = await notices.read(organizationId, destinationId, alert.id);
      const own = claimsOf(notice).find(({ revision }) => revision === alert.revision);
      if (own !== undefined) {
        // This event has claimed it before, and may have ended before it sent the message.
        const { deliveryId } = own;
        if (deliveryId !== undefined) await send(organizationId, { destinationId, deliveryId });
        await claimer.watchAcknowledgement(event, destination);
        return undefined;
      }
      if (current === undefined || destination.status !== "active") return undefined;
      const due = decideNotice(current, isForAll ? { ...destination, filter: {} } : destination, notice);
      // Its raising is sent by dispatchSilencing.
      if (alert.rule === SILENCED_RULE && due?.change !== "resolved") return undefined;
      if (due === undefined) return undefined;
      const about = { organizationId, destinationId, alert, now: now() };
      if (due.change !== "resolved" && isMuted) {
        if (await notices.withhold(about, notice)) return { destinationId, change: due.change };
        continue;
      }
      if (due.change === "resolved" && !isNotified(notice) && (isMuted || notice.isWithheld)) {
        // Where the raising did not go, the end does not go, nor a raising that comes after it.
        if (await notices.dropEnd(about)) return undefined;
        continue;
      }
      if (await claimer.claim(current, destination, due, { isAtOnce: isForAll })) return undefined;
    }
    throw new Error("The notice of an alert changes too fast.");
  };

  /**
   * Notifies all destinations of a change, or has the mutes hide it that act on the alert. Where the decision stands:
   *
   *     read the mutes ── decide for each destination ── hide (with the check that the mute has not ended) ── done
   *     worker of the end:      mark of the end ─┘ "over": read the mutes again
   *
   * A crash before the alert is hidden brings the event again. What is hidden, the end of the mute sends.
   *
   * The events of an alert come in any order, and the alert may rise out of a mute's levels. So one event can withhold the
   * raising while another notifies the end. Both writes go to the notice, and the later one fails:
   *
   *     raising:   read the notice ── withhold ── hide
   *     end:       read the notice ────┘ claim fails: read the notice again, and drop the end
   */
  const dispatchChange = async (
    event: AlertChange,
    current: AlertChange | undefined,
    all: readonly Destination[],
  ): Promise<void> => {
    const { organizationId } = event;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const acting = await readActing(mutes, event, now());
      const outcomes = await Promise.allSettled(
        all.map((destination) =>
          inTurn(`${organizationId} ${destination.id}`, () => notify(event, current, destination, acting.length > 0)),
        ),
      );
      const withheld = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? (outcome.value ?? []) : []));
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      const isOver = current !== undefined && acting.length > 0 && !(await hideIn(mutes, acting, event, withheld));
      if (failed !== undefined) throw failed.reason;
      if (!isOver) return;
    }
    throw new Error("The mutes of an organization end too fast.");
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
    if ("alertId" in event) return dispatchEscalation(event);
    // A report that is made again, such as after an erasure, is not news any more once its delivery has expired.
    if ("kind" in event && event.to <= now() - DELIVERY_LIFE_MS) return;
    const all = await destinations.list(organizationId);
    if ("kind" in event) {
      const outcomes = await Promise.allSettled(all.map((destination) => sendReport(event, destination)));
      const failed = outcomes.find((outcome) => outcome.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return;
    }
    const changed = { ...event, organizationId };
    const current = await withoutErased(changed);
    if (changed.alert.rule === SILENCED_RULE) {
      // The alert has the title of its first change.
      await dispatchSilencing(changed, all, (title) => {
        return current && notificationOf({ ...current, alert: { ...current.alert, title } }, { change: "raised" });
      });
    }
    await dispatchChange(changed, current, all);
  };
};
