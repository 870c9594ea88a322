/**
 * Claims a notification that is due, and stores what follows from it: a delivery of its own, or an entry of a summary. The
 * claim and what follows are one transaction, so each notification is stored once, whoever claims it. The message to the
 * sender follows; if it is lost, the same work done again sends it again.
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Queue } from "../runtime/queue.ts";
import type { SecurityAlertChanged } from "../security/alerts/alert-publisher.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { consoleAlertUrl } from "./console-urls.ts";
import { decideHold, type Hold, holdForStorm } from "./decide-hold.ts";
import type { DueNotification } from "./decide-notice.ts";
import type { DeliveryMessage, DeliveryRef } from "./delivery.ts";
import type { Destination } from "./destination.ts";
import { escalationId, escalationMessage } from "./escalation.ts";
import { type Notification, NotifiedAlert } from "./messages/notification.ts";
import type { ClaimResult, NoticeClaim, NoticeStore } from "./notice-store.ts";

/** Other events change the notice, or the bundle begins to be sent, each at most a few times. */
const MAX_ATTEMPTS = 8;

/** The state of an alert that is notified. `at`: when it changed so, epoch ms. */
export type AlertChange = Pick<SecurityAlertChanged, "change" | "at" | "alert"> & { organizationId: string };

/**
 * The summary of what a mute has hidden. Its message is not sent with the first notification, but when all are in it.
 * `from`, `at`: when the mute or its weekly span began and ended, epoch ms.
 */
export type MuteEnd = { muteId: string; from: number; at: number };

/** `isAtOnce`: past quiet hours, digests and storms. `ended`: instead of a single notification, an entry of this summary. */
export type ClaimOptions = { isAtOnce?: boolean; ended?: MuteEnd | undefined };

export type ClaimDependencies = {
  notices: Pick<NoticeStore, "takePlace" | "deliver" | "isBundleQueued" | "noteBundleQueued" | "hold">;
  queue: Pick<Queue, "send">;
  /** Without a slash at its end. */
  consoleUrl: string;
  now: Clock;
};

/** The delivery of a mute's summary. */
export const muteSummaryOf = (destinationId: string, { muteId, at }: Omit<MuteEnd, "from">): DeliveryRef => ({
  destinationId,
  deliveryId: eventId(at, identityOf("bundle", destinationId, "mute_ended", muteId, at)),
});

export type Claimer = ReturnType<typeof createClaimer>;

export const createClaimer = ({ notices, queue, consoleUrl, now }: ClaimDependencies) => {
  /** @param dueAt epoch ms. @throws Error if the queue does not take the message; then the work is done again. */
  const send = async (organizationId: string, { destinationId, deliveryId }: DeliveryRef, dueAt = 0): Promise<void> => {
    const body = { organizationId, destinationId, deliveryId } satisfies DeliveryMessage;
    const delaySeconds = Math.max(0, dueAt - now()) / 1_000;
    const [unsent] = await queue.send([{ body, delaySeconds, group: organizationId }]);
    if (unsent !== undefined) throw new Error(`The queue did not take the message of a delivery: ${unsent.reason}.`);
  };

  const notificationOf = (
    { organizationId, alert }: AlertChange,
    { change, previousLevel, afterMinutes }: Pick<DueNotification, "change" | "previousLevel" | "afterMinutes">,
  ) =>
    ({
      type: `security.alert.${change}`,
      timestamp: now(),
      organizationId,
      data: {
        alert: NotifiedAlert.parse(alert),
        ...definedFields({ previousLevel, unacknowledgedMinutes: afterMinutes }),
        url: consoleAlertUrl(consoleUrl, alert.id),
      },
    }) satisfies Notification;

  /** The summary that a notification waits for; undefined if it is sent at once, and then it has a place in the window. */
  const holdAt = async (
    destination: Destination,
    { organizationId, alert }: AlertChange,
    { single, time, isAtOnce, ended }: ClaimOptions & { single: DeliveryRef; time: number },
  ): Promise<Hold | undefined> => {
    if (isAtOnce) return undefined;
    const held = decideHold(destination, alert.level, time);
    if (held !== undefined) return held;
    if (ended !== undefined) return { reason: "mute_ended", dueAt: ended.at };
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
  const holdInSummary = async (
    claim: NoticeClaim,
    { at, alert }: AlertChange,
    hold: Hold,
    ended: MuteEnd | undefined,
  ): Promise<ClaimResult> => {
    const { organizationId, destinationId, due } = claim;
    const { reason, dueAt } = hold;
    const isOfMute = reason === "mute_ended" && ended !== undefined;
    const bundle = isOfMute
      ? muteSummaryOf(destinationId, ended)
      : { destinationId, deliveryId: eventId(dueAt, identityOf("bundle", destinationId, reason, dueAt)) };
    const isQueued = isOfMute || (await notices.isBundleQueued(organizationId, bundle));
    const entry = { ...NotifiedAlert.parse(alert), change: due.change, url: consoleAlertUrl(consoleUrl, alert.id) };
    const from = isOfMute ? ended.from : claim.now;
    const result = await notices.hold(claim, { ...hold, deliveryId: bundle.deliveryId, from }, { at, entry });
    if (result === "written" && !isQueued) {
      await send(organizationId, bundle, dueAt);
      await notices.noteBundleQueued(organizationId, bundle);
    }
    return result;
  };

  /** Sends the message that waits until the alert must be escalated, if it must. @throws Error if the queue does not take it. */
  const watchAcknowledgement = async ({ organizationId, alert }: AlertChange, destination: Destination) => {
    const body = escalationMessage(organizationId, destination, alert, now());
    if (body === undefined) return;
    const delaySeconds = Math.max(0, body.escalates.dueAt - now()) / 1_000;
    const [unsent] = await queue.send([{ body, delaySeconds, group: organizationId }]);
    if (unsent !== undefined) throw new Error(`The queue did not take the message of an escalation: ${unsent.reason}.`);
  };

  return {
    send,
    notificationOf,
    watchAcknowledgement,

    /**
     * Claims a due notification and stores what follows from it in one transaction. Two writers can come first:
     *
     *     this event:   read the notice ── decide ── choose a summary ── claim and store ── send the message
     *     other event:        claims the same ─────────────────┘ "claimed": read the notice again
     *     sender:                      begins to send the summary ─┘ "begun": choose the next summary
     *
     * @returns whether the notification is stored, and its message sent; false if the notice has changed since it was read.
     */
    async claim(
      changed: AlertChange,
      destination: Destination,
      due: DueNotification,
      { isAtOnce = false, ended }: ClaimOptions = {},
    ): Promise<boolean> {
      const { organizationId, alert, at } = changed;
      const destinationId = destination.id;
      const isEscalation = due.claim === "unacknowledged";
      const deliveryId = isEscalation
        ? escalationId(destinationId, alert.id, at)
        : eventId(at, identityOf("alert", destinationId, alert.id, alert.revision));
      const single = { destinationId, deliveryId };
      // An escalation is about no change of the alert: its claim must not look like that of the last one.
      const claimedAlert = isEscalation ? { id: alert.id, revision: 0 } : alert;
      const claimed = { organizationId, destinationId, alert: claimedAlert, due, now: now() };
      const end = async (result: ClaimResult): Promise<boolean> => {
        if (result !== "written") return false;
        if (!isEscalation) await watchAcknowledgement(changed, destination);
        return true;
      };
      let time = claimed.now;
      let summary = ended;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const hold = await holdAt(destination, changed, { single, time, isAtOnce, ended: summary });
        if (hold === undefined) return end(await deliverAlone(claimed, changed, single));
        const result = await holdInSummary(claimed, changed, hold, summary);
        if (result !== "begun") return end(result);
        // The summary is being sent already, for instance because clocks differ. A mute has one summary.
        if (hold.reason === "mute_ended") summary = undefined;
        else time = Math.max(time, hold.dueAt);
      }
      throw new Error("Summaries begin faster than a notification can be held for them.");
    },
  };
};
